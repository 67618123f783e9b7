// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/bucket_moves.h"

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
  if (leaving && !leaves_since_) leaves_since_ = now;
  const absl::Duration end = leaves_since_ ? *leaves_since_ + limit_ : absl::InfiniteDuration();
  for (uint32_t bucket = 0; bucket < buckets && !ended_ && now < end; ++bucket) {
    const bool moves = terms.at(bucket).held && targets[bucket] != identity_;
    if (moves && !IsPrepared(members.Find(targets[bucket]), bucket)) waiting_.Add(bucket);
  }
  due_ = waiting_.empty() ? absl::InfiniteDuration() : end;
  if (!leaving) return;
  // If some buckets went earlier, their objects would leave the caches, and the pages of the others
  // that are being handed over would not be valid any more.
  ended_ |= waiting_.empty();
  for (uint32_t bucket = 0; bucket < buckets && !ended_; ++bucket) {
    if (terms.at(bucket).held) waiting_.Add(bucket);
  }
}

}  // namespace xebec::watcher
