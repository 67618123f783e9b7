// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/hook.h"
#include "common/rpc/streams/stream_options.h"

namespace xebec::rpc {

class StreamPool;

/// Functions that HookStreams calls. The rules of PlannerCallbacks apply.
struct HookCallbacks {
  /// Delivers the answer to a call. A call that got none is a failure, kUnavailable.
  std::function<void(uint64_t sequence, HookReply reply)> on_reply;
  /// The number of calls that may be in flight; 0 while no gateway is connected.
  std::function<void(uint32_t credits)> on_credits;
};

/// The watcher's streams to all gateways of hooks. Thread-safe.
class HookStreams {
 public:
  /// Starts to resolve and connect. Returns INVALID_ARGUMENT for a malformed target.
  static absl::StatusOr<std::unique_ptr<HookStreams>> Start(const StreamOptions& options,
                                                            HookCallbacks callbacks);
  /// Calls Stop with a timeout of zero unless Stop was called.
  ~HookStreams();

  /// Sends a call to a gateway; never waits. Exactly one on_reply follows, also after a timeout, a
  /// lost stream and Stop. `sequence` is unique among the calls in flight.
  void Send(uint64_t sequence, HookCall call, absl::Duration timeout);

  /// Rejects new calls, fails those in flight and ends all threads.
  void Stop(absl::Duration timeout);

 private:
  explicit HookStreams(std::unique_ptr<StreamPool> pool);
  std::unique_ptr<StreamPool> pool_;
};

}  // namespace xebec::rpc
