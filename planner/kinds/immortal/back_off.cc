// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/immortal/back_off.h"

#include <algorithm>

#include "planner/kinds/pod_state.h"
#include "planner/kinds/pods.h"

namespace xebec::planner {
namespace {

constexpr absl::Duration kLongLife = absl::Minutes(10);
constexpr absl::Duration kFirstPause = absl::Seconds(10);
constexpr absl::Duration kLongestPause = absl::Minutes(5);

absl::Duration PauseAfter(int64_t quick_ends) {
  absl::Duration pause = quick_ends < 2 ? absl::ZeroDuration() : kFirstPause;
  for (int64_t i = 2; i < quick_ends && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

// Returns when the last container ended; `now` if the Pod does not contain it.
absl::Time EndOf(const Child& pod, absl::Time now) {
  const Json* statuses = Find(pod.object, {"status", "containerStatuses"});
  if (statuses == nullptr || !statuses->is_array()) return now;
  absl::Time end = absl::InfinitePast();
  for (const Json& status : *statuses) {
    const auto finished = FindTime(status, {"state", "terminated", "finishedAt"});
    if (finished.has_value()) end = std::max(end, *finished);
  }
  return end == absl::InfinitePast() ? now : std::min(end, now);
}

// Rounded to the precision of the status.
absl::Time NextWholeSecond(absl::Time time) {
  return absl::UnixEpoch() + absl::Ceil(time - absl::UnixEpoch(), absl::Seconds(1));
}

bool LivedLong(const Child& pod, absl::Time now) {
  const auto created = FindTime(pod.object, {"metadata", "creationTimestamp"});
  return created.has_value() && EndOf(pod, now) - *created >= kLongLife;
}

bool SomePodLivesLong(const View& view) {
  const std::vector<const Child*> pods = view.OfKind("Pod");
  return std::any_of(pods.begin(), pods.end(), [&](const Child* pod) {
    return StateOf(*pod) != PodState::kFinished && LivedLong(*pod, view.now);
  });
}

}  // namespace

BackOff ReadBackOff(const View& view) {
  BackOff back_off;
  back_off.ended_start = FindInt(view.parent, {"status", "endedStart"}).value_or(0);
  const auto observed = FindInt(view.parent, {"status", "observedGeneration"});
  if (observed.has_value() && *observed != view.generation) return back_off;
  if (!SomePodLivesLong(view)) {
    back_off.quick_ends =
        std::clamp<int64_t>(FindInt(view.parent, {"status", "quickEnds"}).value_or(0), 0, 1000000);
  }
  back_off.next_start = FindTime(view.parent, {"status", "nextStart"});
  return back_off;
}

BackOff AfterEnd(const BackOff& before, int64_t start, const Child& pod, absl::Time now) {
  BackOff after;
  after.ended_start = start;
  if (now == absl::InfinitePast()) return after;
  after.quick_ends = LivedLong(pod, now) ? 0 : before.quick_ends + 1;
  const absl::Duration pause = PauseAfter(after.quick_ends);
  if (pause > absl::ZeroDuration()) after.next_start = NextWholeSecond(now + pause);
  return after;
}

absl::Duration PauseLeft(const BackOff& back_off, absl::Time now) {
  if (!back_off.next_start.has_value() || now == absl::InfinitePast()) return absl::ZeroDuration();
  return std::clamp(*back_off.next_start - now, absl::ZeroDuration(), kLongestPause);
}

}  // namespace xebec::planner
