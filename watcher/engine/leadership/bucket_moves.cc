// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/bucket_moves.h"

#include <algorithm>

namespace xebec::watcher {
namespace {

/// Nobody waits for a watcher that is gone or does not tell what it keeps.
bool IsPrepared(const Member* target, uint32_t bucket) {
  return target == nullptr || !target->facts.kept || target->facts.kept->Contains(bucket);
}

}  // namespace

void BucketMoves::Review(const Terms& terms, const std::vector<std::string>& targets,
                         const Members& members, bool leaving, absl::Duration now) {
  const uint32_t buckets = waiting_.count();
  waiting_ = BucketSet(buckets);
  due_ = absl::InfiniteDuration();
  if (leaving && !leaves_since_) {
    leaves_since_ = now;
    std::fill(since_.begin(), since_.end(), std::nullopt);
  }
  for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
    const bool moves = terms.at(bucket).held && targets[bucket] != identity_;
    if (!moves) since_[bucket].reset();
    if (moves && !ended_) ReviewBucket(bucket, targets[bucket], members, now);
  }
  if (!leaving) return;
  // If some buckets went earlier, the shares would be computed again and the others might go to a
  // watcher that has not listed their objects.
  ended_ |= waiting_.empty();
  for (uint32_t bucket = 0; bucket < buckets && !ended_; ++bucket) {
    if (terms.at(bucket).held) waiting_.Add(bucket);
  }
}

void BucketMoves::ReviewBucket(uint32_t bucket, const std::string& target, const Members& members,
                               absl::Duration now) {
  std::optional<absl::Duration>& since = since_[bucket];
  if (!since) since = leaves_since_.value_or(now);
  const absl::Duration end = *since + limit_;
  if (now >= end || IsPrepared(members.Find(target), bucket)) return;
  waiting_.Add(bucket);
  due_ = std::min(due_, end);
}

}  // namespace xebec::watcher
