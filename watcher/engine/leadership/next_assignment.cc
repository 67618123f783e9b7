// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/next_assignment.h"

#include <algorithm>

namespace xebec::watcher {
namespace {

BucketHolder GiveAway(const AssignmentSituation& at, uint32_t bucket, bool clean) {
  const uint64_t epoch = std::max(at.current.buckets[bucket].epoch, at.epochs[bucket]);
  return {at.targets[bucket], std::min(epoch + 1, kMaxEpoch), clean};
}

BucketHolder Next(const AssignmentSituation& at, uint32_t bucket) {
  const BucketHolder& now = at.current.buckets[bucket];
  if (IsOrphan(at, bucket)) {
    if (at.targets[bucket].empty() || !at.gives_away_orphans) return now;
    const bool in_doubt = !now.clean || at.in_doubt.Contains(bucket);
    return GiveAway(at, bucket, now.watcher.empty() && !in_doubt);
  }
  if (now.watcher != at.self) return now;
  if (at.idle.Contains(bucket) && at.targets[bucket] != at.self) {
    BucketHolder given = GiveAway(at, bucket, !at.in_doubt.Contains(bucket));
    given.stated = given.clean && !given.watcher.empty() && !at.seen.empty();
    return given;
  }
  if (at.epochs[bucket] > now.epoch) {
    return {at.self, std::min(at.epochs[bucket] + 1, kMaxEpoch), now.clean};
  }
  return now;
}

/// A statement is about the buckets that this assignment gives away. The watchers that earlier ones
/// were for have read them, or do without.
void State(const AssignmentSituation& at, Assignment* next) {
  next->seen.clear();
  for (uint32_t bucket = 0; bucket < next->count(); ++bucket) {
    BucketHolder& holder = next->buckets[bucket];
    holder.stated &= holder.epoch != at.current.buckets[bucket].epoch;
    if (holder.stated) next->seen = at.seen;
  }
}

}  // namespace

bool IsOrphan(const AssignmentSituation& at, uint32_t bucket) {
  const std::string& holder = at.current.buckets[bucket].watcher;
  return holder.empty() || at.members.Find(holder) == nullptr ||
         (holder == at.self && at.unused.Contains(bucket));
}

Assignment NextAssignment(const AssignmentSituation& at) {
  Assignment next = at.current;
  for (uint32_t bucket = 0; bucket < next.count(); ++bucket) {
    next.buckets[bucket] = Next(at, bucket);
  }
  if (next != at.current) State(at, &next);
  return next;
}

}  // namespace xebec::watcher
