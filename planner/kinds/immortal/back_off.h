// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// The back-off of Pods that end repeatedly, as recorded in the status.
struct BackOff {
  int64_t ended_start = 0;  ///< status.endedStart: the last start whose end is recorded.
  int64_t quick_ends = 0;   ///< status.quickEnds: consecutive ends of Pods within ten minutes.
  std::optional<absl::Time> next_start;  ///< status.nextStart: the earliest time of the next start.
};

/// Reads the back-off from the status. If the spec has changed since the status was written, the
/// back-off ends. If a Pod that has not ended is ten minutes old, earlier ends do not count: the
/// next one does not follow them.
BackOff ReadBackOff(const View& view);

/// Records the end of a start. The back-off is zero after the first quick end, then 10 s, doubling
/// to 5 min. A Pod that ran for ten minutes resets it. Without a time (in requests made by hand)
/// there is no back-off.
BackOff AfterEnd(const BackOff& before, int64_t start, const Child& pod, absl::Time now);

/// Returns the time until the next start is allowed; zero if it is allowed now.
absl::Duration PauseLeft(const BackOff& back_off, absl::Time now);

}  // namespace xebec::planner
