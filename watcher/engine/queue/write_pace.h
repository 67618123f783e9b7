// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Slows down a parent that is written in the same way repeatedly because another client reverts
/// the writes: after thirty such reconciles, one per second. A parent that makes progress, such as
/// a rollout, may write ten times as often. A value.
class WritePace {
 public:
  struct Toll {
    absl::Duration wait;  ///< The time to wait before the next reconcile.
    bool begins = false;  ///< True for the first wait because of repetition.
  };
  /// Records a reconcile that wrote. `writes` is the result of WritesOf; `now` is monotonic.
  Toll Pay(const std::vector<uint64_t>& writes, absl::Duration now);

  bool operator==(const WritePace&) const = default;

 private:
  bool Repeats(const std::vector<uint64_t>& writes);

  std::vector<uint64_t> last_;  ///< Writes, oldest first.
  absl::Duration debt_;         ///< Grows with each reconcile that wrote and decreases with time.
  absl::Duration paid_at_;
  bool slowed_ = false;  ///< True from the first delay until half of the debt is paid.
};

/// Returns one number for each change that was made or may have been made. Equal changes of the
/// same object have equal numbers. The status is included only if nothing else was written, without
/// its times. `outcomes` has one element for each operation of the plan, in order, then that of the
/// status.
std::vector<uint64_t> WritesOf(const Plan& plan, const std::vector<Outcome>& outcomes);

/// Returns the note for Toll::begins.
Note WriteLoop(const ObjectRef& parent);

}  // namespace xebec::watcher
