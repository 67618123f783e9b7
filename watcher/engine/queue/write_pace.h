// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// Slows down a parent that is written the same way again and again, because somebody else writes
/// against it: after thirty such reconciles, one a second. A parent that makes progress, such as a
/// rollout, may write ten times as often. A value.
class WritePace {
 public:
  struct Toll {
    absl::Duration wait;  ///< Before the next reconcile.
    bool begins = false;  ///< From now on it waits because of repetition.
  };
  /// Books a reconcile that wrote: `writes` as WritesOf gives them, `now` monotonic.
  Toll Pay(const std::vector<uint64_t>& writes, absl::Duration now);

  bool operator==(const WritePace&) const = default;

 private:
  bool Repeats(const std::vector<uint64_t>& writes);

  std::vector<uint64_t> last_;  ///< Writes, oldest first.
  absl::Duration debt_;         ///< Grows with each reconcile that wrote, is paid back with time.
  absl::Duration paid_at_;
  bool slowed_ = false;  ///< The debt delayed reconciles and is not half paid yet.
};

/// One number for each thing that was, or may have been, changed; equal ones for equal changes of
/// the same object. The status counts where nothing else was written, without the times in it.
/// `outcomes`: one for each operation of the plan, in order, then the status.
std::vector<uint64_t> WritesOf(const Plan& plan, const std::vector<Outcome>& outcomes);

}  // namespace xebec::watcher
