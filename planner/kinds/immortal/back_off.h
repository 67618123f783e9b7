// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// How long Pods that end again and again are kept from being started, as recorded in the status.
struct BackOff {
  int64_t ended_start = 0;  ///< status.endedStart: the last start whose end is accounted for.
  int64_t quick_ends =
      0;  ///< status.quickEnds: ends in a row of Pods that lived less than ten minutes.
  std::optional<absl::Time> next_start;  ///< status.nextStart: nothing is started before.
};

/// Reads it. If the spec has changed since the status was written, the pause ends and the count
/// starts at zero.
BackOff ReadBackOff(const View& view);

/// Accounts for the end of a start: none for the first quick end, then 10 s, doubling to 5 min. A
/// Pod that lived ten minutes resets the count. Without a time (in requests made by hand) there is
/// no pause.
BackOff AfterEnd(const BackOff& before, int64_t start, const Child& pod, absl::Time now);

/// Until the next start may be made; zero when it may be made now.
absl::Duration PauseLeft(const BackOff& back_off, absl::Time now);

}  // namespace xebec::planner
