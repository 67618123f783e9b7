// SPDX-License-Identifier: Apache-2.0
#include "planner/core/contest.h"

#include <algorithm>

namespace xebec::planner {
namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(10);
constexpr absl::Duration kMemory = absl::Minutes(10);

bool HasTimes(const Outcome& outcome, absl::Time now) {
  return outcome.at != absl::InfinitePast() && now != absl::InfinitePast();
}

absl::Duration Pause(uint32_t repeats) {
  const uint32_t doublings = std::min<uint32_t>(repeats - kContestedAfter, 10);
  return std::min(kFirstPause * (1 << doublings), kContestPauseMax);
}

}  // namespace

bool IsContested(const Outcome& last_apply, absl::Time now) {
  return last_apply.code == OutcomeCode::kChanged && last_apply.repeats >= kContestedAfter &&
         HasTimes(last_apply, now) && now - last_apply.at < kMemory;
}

absl::Duration ContestWait(const Outcome& last_apply, absl::Time now) {
  if (!IsContested(last_apply, now)) return absl::ZeroDuration();
  const absl::Duration pause = Pause(last_apply.repeats);
  return std::clamp(last_apply.at + pause - now, absl::ZeroDuration(), pause);
}

absl::Duration ContestExpiry(const Outcome& last_apply, absl::Time now) {
  return IsContested(last_apply, now) ? last_apply.at + kMemory - now : absl::ZeroDuration();
}

}  // namespace xebec::planner
