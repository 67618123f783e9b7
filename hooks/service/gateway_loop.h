// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/base/bounded_queue.h"
#include "common/http/web_client.h"
#include "common/rpc/streams/stream_loop.h"
#include "hooks/engine/endpoint_policy.h"
#include "hooks/engine/gateway.h"
#include "hooks/service/credentials.h"
#include "hooks/service/gateway_metrics.h"
#include "hooks/service/hook_link.h"
#include "hooks/service/operations.h"
#include "hooks/service/workers.h"

namespace xebec::gateway {

struct LoopOptions {
  Limits limits;
  EndpointPolicy policy;
  Credentials credentials;
  absl::Duration connect_timeout = absl::Seconds(10);
  std::string user_agent = "xebec-hooks";
  /// Gets each description of a hook, before the calls that wait for it go on. Runs on the thread
  /// of the loop. May be null.
  std::function<void(const OpenResult&)> on_opened = nullptr;
};

/// Runs the engine on one thread, with the connections to hooks. Other threads resolve names, and
/// read and write JSON. Thread-safe.
class GatewayLoop final : private rpc::StreamLoop::Client {
 public:
  /// Runs on the thread of the loop.
  using OnReply = std::function<void(uint64_t sequence, HookReply reply)>;

  /// Starts the threads. `metrics` outlives this.
  GatewayLoop(LoopOptions options, GatewayMetrics* metrics);
  /// Cancels all calls and joins the threads. No reply follows.
  ~GatewayLoop();
  GatewayLoop(const GatewayLoop&) = delete;
  GatewayLoop& operator=(const GatewayLoop&) = delete;

  /// Opens a stream of calls and returns its number, which is greater than 0.
  uint64_t OpenStream(OnReply on_reply);
  /// Calls a hook. Exactly one reply follows, unless the stream is closed before. The sequence is
  /// unique among the calls of the stream that have no reply. `digest` as in Gateway::Call.
  void Call(uint64_t stream, uint64_t sequence, HookCall call, std::string digest);
  /// Drops the calls of the stream. A reply may still be running.
  void CloseStream(uint64_t stream);

 private:
  using Link = std::shared_ptr<HookLink>;
  struct Links {
    Link current;
    uint64_t connection = 0;           ///< Of `current`.
    std::map<uint64_t, Link> opening;  ///< Key: connection.
    std::string logged;                ///< The last log line: it is not repeated.
  };
  using CallKey = std::pair<uint64_t, uint64_t>;  ///< Hook and call.

  absl::Duration Due() override;
  void Tick() override;
  void Post(std::function<void()> function);
  LinkSite Site();

  void Run(const Outputs& outputs);
  void Do(const Open& open);
  void Do(const Send& send);
  void Do(const CancelSend& cancel);
  void Do(const Close& close);
  void Do(const SendReply& reply);
  void OnOpened(const Open& open, const OpenResult& result);
  void LogChange(const Open& open, const OpenResult& result);
  void OnLost(uint64_t hook, uint64_t connection);
  void OnAnswer(uint64_t hook, uint64_t call, CallResult result);
  void CloseAll();

  const LoopOptions options_;
  GatewayMetrics* const metrics_;
  Operations operations_;
  std::atomic<uint64_t> numbers_{0};

  /// Bounded by its producers: calls by the credits of the streams, results by the calls in flight.
  BoundedQueue<std::function<void()>> inbox_{{std::numeric_limits<size_t>::max()}};

  // Used by the thread of the loop only.
  Gateway engine_;
  absl::Duration due_ = absl::InfiniteDuration();
  std::map<uint64_t, OnReply> streams_;
  std::map<uint64_t, Links> links_;
  std::map<CallKey, Link> calls_;

  rpc::StreamLoop loop_;
  Workers resolvers_;
  Workers codecs_;
  http::WebClient web_;
};

}  // namespace xebec::gateway
