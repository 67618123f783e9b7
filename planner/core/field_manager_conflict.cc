// SPDX-License-Identifier: Apache-2.0
#include "planner/core/field_manager_conflict.h"

#include <algorithm>

namespace xebec::planner {
namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(10);
constexpr absl::Duration kMemory = absl::Minutes(10);

bool HasTimes(const Outcome& outcome, absl::Time now) {
  return outcome.at != absl::InfinitePast() && now != absl::InfinitePast();
}

absl::Duration Pause(uint32_t repeats) {
  const uint32_t doublings = std::min<uint32_t>(repeats - kConflictAfter, 10);
  return std::min(kFirstPause * (1 << doublings), kConflictPauseMax);
}

}  // namespace

bool HasFieldManagerConflict(const Outcome& last_apply, absl::Time now) {
  return last_apply.code == OutcomeCode::kChanged && last_apply.repeats >= kConflictAfter &&
         HasTimes(last_apply, now) && now - last_apply.at < kMemory;
}

absl::Duration ConflictWait(const Outcome& last_apply, absl::Time now) {
  if (!HasFieldManagerConflict(last_apply, now)) return absl::ZeroDuration();
  const absl::Duration pause = Pause(last_apply.repeats);
  return std::clamp(last_apply.at + pause - now, absl::ZeroDuration(), pause);
}

absl::Duration ConflictExpiry(const Outcome& last_apply, absl::Time now) {
  return HasFieldManagerConflict(last_apply, now) ? last_apply.at + kMemory - now
                                                  : absl::ZeroDuration();
}

}  // namespace xebec::planner
