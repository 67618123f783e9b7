// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "common/http/http_client.h"
#include "common/rpc/streams/applier_streams.h"
#include "common/rpc/streams/hook_streams.h"
#include "common/rpc/streams/planner_streams.h"
#include "common/telemetry/metrics.h"
#include "watcher/service/activity.h"
#include "watcher/service/api_gateway.h"
#include "watcher/service/engine_loop.h"
#include "watcher/service/identity.h"
#include "watcher/service/lease_gateway.h"
#include "watcher/service/peers/object_requests.h"
#include "watcher/service/settings.h"

namespace xebec::watcher {

/// Creates and connects the watcher's parts. Members are declared in the order in which they start;
/// they are destroyed in reverse order.
class App {
 public:
  /// Reads the credentials. Starts no thread. The error names the file and the reason.
  static absl::StatusOr<std::unique_ptr<App>> Make(const Settings& settings,
                                                   telemetry::Registry* registry);
  /// Connects the parts and starts the threads. The watcher takes part in the distribution of the
  /// buckets only once `unfit`, which runs in a turn of the engine, returns "". The error names the
  /// part that could not be started and the reason.
  /// `peers` outlives the turns of the engine: Stop, or the end of the App.
  absl::Status Start(telemetry::Registry* registry, std::function<std::string()> unfit,
                     PeerCalls* peers);
  /// Stops all running parts at once.
  ~App();

  /// Drains the watcher: starts no plan, waits for outstanding reports, releases the Leases. Takes
  /// at most settings.drain_timeout.
  void Stop();

  MessageQueue* queue() { return &queue_; }
  ActivityFeed* feed() { return &feed_; }
  /// The identity of this watcher in its Leases.
  const std::string& identity() const { return identity_.name; }

 private:
  App(const Settings& settings, kube::ClusterAccess access, telemetry::Registry* registry);

  void JoinOnceFit();
  void Carry(Output output);
  void Report(const Note& note);
  rpc::PlannerCallbacks PlannerEvents();
  rpc::ApplierCallbacks ApplierEvents();
  rpc::HookCallbacks HookEvents();
  void UpdateCredits(uint32_t CreditsChanged::*side, uint32_t credits);

  const Settings settings_;
  const Identity identity_;
  ActivityFeed feed_;
  MessageQueue queue_;
  http::ApiClient client_;
  ApiGateway gateway_;
  EngineLoop loop_;
  std::shared_ptr<LeaseGateway> leases_;
  std::optional<ObjectRequests> objects_;  // of other watchers; set by Start
  std::function<std::string()> unfit_;
  CreditsChanged credits_;  // used by the thread of the streams
  std::unique_ptr<rpc::PlannerStreams> planner_;
  std::unique_ptr<rpc::ApplierStreams> applier_;
  std::unique_ptr<rpc::HookStreams> hooks_;  // null without hooks
  std::jthread thread_;
};

}  // namespace xebec::watcher
