// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "common/base/mutex.h"
#include "common/http/http_client.h"
#include "common/rpc/streams/applier_streams.h"
#include "common/rpc/streams/planner_streams.h"
#include "common/telemetry/metrics.h"
#include "watcher/service/activity.h"
#include "watcher/service/api_gateway.h"
#include "watcher/service/engine_loop.h"
#include "watcher/service/lease_gateway.h"
#include "watcher/service/settings.h"

namespace xebec::watcher {

/// The one place where the watcher's parts meet. Members are declared in start order: they are
/// destroyed in stop order.
class App {
 public:
  /// Reads the credentials; nothing runs yet. Errors say which file is wrong and why.
  static absl::StatusOr<std::unique_ptr<App>> Make(const Settings& settings,
                                                   telemetry::Registry* registry);
  /// Connects everything and starts the threads. The watcher does not stand for election before
  /// `unfit`, asked on the engine's thread, gives "". Errors say what could not be started and why.
  absl::Status Start(telemetry::Registry* registry, std::function<std::string()> unfit);
  /// Stops at once whatever still runs.
  ~App();

  /// Drains: no new plans, reports of those in flight awaited, Leases released; at most
  /// settings.drain_timeout.
  void Stop();

  MessageQueue* queue() { return &queue_; }
  ActivityFeed* feed() { return &feed_; }

 private:
  App(const Settings& settings, kube::ClusterAccess access, telemetry::Registry* registry);

  void Stand();
  void Carry(Output output);
  void Report(const Note& note);
  rpc::PlannerCallbacks PlannerEvents();
  rpc::ApplierCallbacks ApplierEvents();
  void Capacity(uint32_t CreditsChanged::*side, uint32_t slots) ABSL_LOCKS_EXCLUDED(capacity_mu_);

  const Settings settings_;
  ActivityFeed feed_;
  MessageQueue queue_;
  http::ApiClient client_;
  ApiGateway gateway_;
  EngineLoop loop_;
  std::vector<std::shared_ptr<LeaseGateway>> leases_;  // by bucket
  std::function<std::string()> unfit_;
  Mutex capacity_mu_;
  CreditsChanged capacity_ ABSL_GUARDED_BY(capacity_mu_);
  std::unique_ptr<rpc::PlannerStreams> planner_;
  std::unique_ptr<rpc::ApplierStreams> applier_;
  std::jthread thread_;
};

}  // namespace xebec::watcher
