// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "common/model/report.h"

namespace xebec::planner {

/// After this many applies in a row that each had to put the same fields back, they count as
/// a conflict with another field manager.
inline constexpr uint32_t kConflictAfter = 5;
/// The longest pause between two tries.
inline constexpr absl::Duration kConflictPauseMax = absl::Minutes(5);

/// True when another writer changed the fields of the child back again and again, the last time not
/// long before `now` (twice the longest pause).
bool HasFieldManagerConflict(const Outcome& last_apply, absl::Time now);

/// How long the next apply has to wait: 10 s after the fifth, doubling to 5 min, counted from the
/// last one. Zero when it may go ahead, also when there is no conflict or the times are not known.
absl::Duration ConflictWait(const Outcome& last_apply, absl::Time now);

/// Time from `now` until the conflict is forgotten if nothing happens.
absl::Duration ConflictExpiry(const Outcome& last_apply, absl::Time now);

}  // namespace xebec::planner
