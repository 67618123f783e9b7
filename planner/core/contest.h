// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "common/model/report.h"

namespace xebec::planner {

/// After this many applies in a row that each had to put the same fields back, they count as
/// contested.
inline constexpr uint32_t kContestedAfter = 5;
/// The longest pause between two tries.
inline constexpr absl::Duration kContestPauseMax = absl::Minutes(5);

/// True when another writer changed the fields of the child back again and again, the last time not
/// long before `now` (twice the longest pause).
bool IsContested(const Outcome& last_apply, absl::Time now);

/// How long the next apply has to wait: 10 s after the fifth, doubling to 5 min, counted from the
/// last one. Zero when it may go ahead, also when nothing is contested or the times are not known.
absl::Duration ContestWait(const Outcome& last_apply, absl::Time now);

/// Time from `now` until the contest is forgotten if nothing happens.
absl::Duration ContestExpiry(const Outcome& last_apply, absl::Time now);

}  // namespace xebec::planner
