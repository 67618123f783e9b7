// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "common/rpc/streams/stream_options.h"

namespace xebec::rpc {

class StreamPool;

/// Functions that ApplierStreams calls. The rules of PlannerCallbacks apply.
struct ApplierCallbacks {
  /// Delivers the applier's report. For a plan that was certainly not written to a stream, the
  /// report contains NOT_STARTED and REJECTED for every operation and the status write, with the
  /// reason as the message.
  std::function<void(uint64_t sequence, Report report)> on_report;
  /// The applier, or the watcher's size limit, rejected the plan. No operation was started.
  std::function<void(uint64_t sequence, std::string message)> on_unreadable;
  /// The plan was sent and its report will not arrive. It is unknown whether the applier executed
  /// it.
  std::function<void(uint64_t sequence)> on_lost;
  /// The number of plans that may be in flight: the credits of all connected appliers; 0 if none is
  /// connected.
  std::function<void(uint32_t credits)> on_credits;
};

/// The watcher's streams to all appliers. Thread-safe.
class ApplierStreams {
 public:
  /// Starts to resolve and connect. Returns INVALID_ARGUMENT for a malformed target.
  static absl::StatusOr<std::unique_ptr<ApplierStreams>> Start(const StreamOptions& options,
                                                               ApplierCallbacks callbacks);
  /// Calls Stop with a timeout of zero unless Stop was called.
  ~ApplierStreams();

  /// Sends a plan to an applier; never waits. If it can be written at once, the calling thread
  /// encodes and writes it. Exactly one of on_report, on_unreadable and on_lost follows, also after
  /// a timeout, a lost stream and Stop. Chooses the stream with the fewest requests in flight. Each
  /// stream writes plans in the order of the calls of Send, so callers must send with increasing
  /// `sequence`. Without a free credit, the plan waits in a bounded queue until `timeout`.
  /// `plan` must not be null.
  void Send(uint64_t sequence, std::shared_ptr<const Plan> plan, absl::Duration timeout);

  /// Returns the number of plans without an answer.
  size_t InFlight() const;

  /// Rejects new plans, waits at most `timeout` for plans in flight, answers the remaining ones and
  /// ends all threads.
  void Stop(absl::Duration timeout);

 private:
  explicit ApplierStreams(std::unique_ptr<StreamPool> pool);
  std::unique_ptr<StreamPool> pool_;
};

}  // namespace xebec::rpc
