// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "common/model/report.h"

namespace xebec::planner {

/// The number of consecutive applies, each of which restored the same fields, that count as a
/// conflict with another field manager.
inline constexpr uint32_t kConflictAfter = 5;
/// The longest pause between two attempts.
inline constexpr absl::Duration kConflictPauseMax = absl::Minutes(5);

/// Returns true if another writer changed the fields of the child repeatedly, the last time within
/// twice the longest pause before `now`.
bool HasFieldManagerConflict(const Outcome& last_apply, absl::Time now);

/// Returns how long the next apply must wait: 10 s after the fifth attempt, then doubling up to 5
/// min, counted from the last attempt. Zero if it may start now, if there is no conflict, or if the
/// times are unknown.
absl::Duration ConflictWait(const Outcome& last_apply, absl::Time now);

/// Returns the time from `now` until the conflict ends if nothing happens.
absl::Duration ConflictExpiry(const Outcome& last_apply, absl::Time now);

}  // namespace xebec::planner
