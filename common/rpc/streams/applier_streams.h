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
  /// The applier's report. Also the answer for a plan that was certainly never written to a stream:
  /// then every operation (and the status write) is NOT_STARTED and REJECTED, with the reason in
  /// the messages.
  std::function<void(uint64_t sequence, Report report)> on_report;
  /// The applier (or the watcher's own size limit) could not take the plan: nothing of it was
  /// started.
  std::function<void(uint64_t sequence, std::string message)> on_unreadable;
  /// The plan was sent and its report will not come: whether the applier executed it is unknown.
  std::function<void(uint64_t sequence)> on_lost;
  /// How many plans may be in flight in all, by the credits of the connected appliers; 0 while none
  /// is connected.
  std::function<void(uint32_t credits)> on_credits;
};

/// The watcher's streams to all appliers. Thread-safe.
class ApplierStreams {
 public:
  /// Starts resolving and connecting. INVALID_ARGUMENT for a target that cannot be read.
  static absl::StatusOr<std::unique_ptr<ApplierStreams>> Start(const StreamOptions& options,
                                                               ApplierCallbacks callbacks);
  /// Stops with a timeout of zero when Stop was not called.
  ~ApplierStreams();

  /// Gives a plan to an applier; never blocks. Exactly one of on_report, on_unreadable and on_lost
  /// follows, on a time-out, a lost stream and at Stop too. The stream with the fewest requests in
  /// flight is taken; on each stream plans go out in the order of the Sends, so callers send in
  /// increasing order of `sequence`. Without a free credit the plan waits in a bounded queue,
  /// within its `timeout`.
  void Send(uint64_t sequence, Plan plan, absl::Duration timeout);

  /// Sends without an answer so far.
  size_t InFlight() const;

  /// Takes nothing more, waits at most `timeout` for what is in flight, answers the rest, ends all
  /// threads.
  void Stop(absl::Duration timeout);

 private:
  explicit ApplierStreams(std::unique_ptr<StreamPool> pool);
  std::unique_ptr<StreamPool> pool_;
};

}  // namespace xebec::rpc
