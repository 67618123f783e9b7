// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/fence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/model/bucket.h"

namespace xebec::applier {
namespace {

FenceAnswer Refuse(std::string reason, std::string message, uint64_t highest) {
  return {FenceAnswer::Verdict::kRefuse, std::move(reason), std::move(message), highest};
}

FenceAnswer RefuseExpired(const Envelope& envelope, const Instant& now, uint64_t highest) {
  return Refuse("Expired",
                absl::StrCat("the plan expired at ",
                             absl::FormatTime(envelope.not_after, absl::UTCTimeZone()),
                             "; it is now ", absl::FormatTime(now.wall, absl::UTCTimeZone()),
                             " here (a difference of clocks looks the same)"),
                highest);
}

FenceAnswer RefuseBucket(const Envelope& envelope, uint32_t bucket, uint64_t highest) {
  return Refuse(
      "Bucket",
      absl::StrCat("the plan names bucket ", envelope.bucket, ", but its parent is in bucket ",
                   bucket, " of ", envelope.bucket_count,
                   ": run watchers and appliers of the same or of adjacent versions"),
      highest);
}

FenceAnswer RefuseEpoch(const Envelope& envelope, uint64_t highest) {
  return Refuse(
      "Epoch",
      absl::StrCat("epoch ", envelope.epoch, " of bucket ", envelope.bucket, " is over: ", highest,
                   " is known; the watcher that holds the bucket now plans the parent"),
      highest);
}

}  // namespace

bool Expired(const Envelope& envelope, const Instant& now) {
  return now.wall > envelope.not_after + Fence::kSkew;
}

std::optional<FenceAnswer> Fence::CheckSequence(StreamKey stream, const Envelope& envelope) {
  uint64_t& last = sequences_[stream];
  if (envelope.sequence > last) {
    last = envelope.sequence;
    return std::nullopt;
  }
  return Refuse("Sequence",
                absl::StrCat("sequence ", envelope.sequence, " on a stream that has had ", last,
                             ": a repeated or reordered plan is not carried out"),
                HighestEpoch(envelope));
}

void Fence::ForgetStream(StreamKey stream) { sequences_.erase(stream); }

FenceAnswer Fence::Check(const Envelope& envelope, const Instant& now,
                         std::optional<absl::Duration> waits_since) {
  const uint64_t highest = HighestEpoch(envelope);
  if (Expired(envelope, now)) return RefuseExpired(envelope, now, highest);
  const uint32_t count = envelope.bucket_count;
  if (count != 0) {
    const uint32_t bucket = BucketOf(envelope.parent.uid, count);
    if (bucket != envelope.bucket) return RefuseBucket(envelope, bucket, highest);
  }
  const absl::Duration learnt = learnt_.value_or(-absl::InfiniteDuration());
  const bool read_for_it = waits_since && learnt >= *waits_since;
  if (OtherCount(envelope) || Unassigned(envelope)) {
    if (!read_for_it) return {FenceAnswer::Verdict::kReadLeaseFirst, "", "", highest};
    return Unassigned(envelope) ? RefuseUnassigned(envelope) : RefuseCount(envelope);
  }
  if (envelope.epoch < highest) return RefuseEpoch(envelope, highest);
  const bool fresh = learnt >= now.monotonic - kFresh && learnt > no_answer_;
  if (!fresh && !read_for_it) return {FenceAnswer::Verdict::kReadLeaseFirst, "", "", highest};
  if (count != 0) UseCount(count);
  highest_[envelope.bucket] = envelope.epoch;
  return {FenceAnswer::Verdict::kAdmit, "", "", envelope.epoch};
}

FenceAnswer Fence::RefuseCount(const Envelope& envelope) const {
  const std::string count =
      envelope.bucket_count == 0 ? "an unknown number of" : absl::StrCat(envelope.bucket_count);
  return Refuse(
      "BucketCount",
      absl::StrCat("the watcher \"", envelope.watcher, "\" divides the parents into ", count,
                   " buckets, but the assignment in the Lease ", assignment_, " has ", in_force_,
                   ": give all watchers the same number of buckets; if none of them uses this "
                   "assignment any more, delete the Lease"),
      0);
}

FenceAnswer Fence::RefuseUnassigned(const Envelope& envelope) const {
  return Refuse("NoAssignment",
                absl::StrCat("the watcher \"", envelope.watcher, "\" has bucket ", envelope.bucket,
                             " of ", envelope.bucket_count, ", but the Lease ", assignment_,
                             " with the assignment is missing, and this applier has not read it "
                             "since its start: wait until a watcher creates the Lease again"),
                0);
}

void Fence::OnAssignment(const Assignment& assignment, absl::Duration asked) {
  learnt_ = std::max(learnt_.value_or(asked), asked);
  in_force_ = assignment.count();
  if (in_force_ == 0) return;
  assigned_ = true;
  UseCount(in_force_);
  for (uint32_t bucket = 0; bucket < in_force_; ++bucket) {
    highest_[bucket] = std::max(OfBucket(bucket), assignment.buckets[bucket].epoch);
  }
}

bool Fence::WorthRenewing(const Instant& now) const {
  return !learnt_ || *learnt_ + kFresh / 2 < now.monotonic;
}

uint64_t Fence::HighestEpoch(const Envelope& envelope) const {
  if (OtherCount(envelope)) return 0;
  const uint32_t count = envelope.bucket_count;
  return count == 0 || count == count_ ? OfBucket(envelope.bucket) : OfAll();
}

/// True if the assignment that was read has another number of buckets than the plan.
bool Fence::OtherCount(const Envelope& envelope) const {
  return in_force_ != 0 && envelope.bucket_count != in_force_;
}

/// True if watchers share the parents, and nothing tells which of them are deposed. A watcher
/// without leader election has the only bucket and writes no assignment.
bool Fence::Unassigned(const Envelope& envelope) const {
  return !assigned_ && envelope.bucket_count > 1;
}

/// The epochs of another number of buckets tell nothing about a bucket, except that those of a
/// later number are higher than all of them.
void Fence::UseCount(uint32_t count) {
  if (count == count_) return;
  least_ = OfAll();
  highest_.clear();
  count_ = count;
}

uint64_t Fence::OfBucket(uint32_t bucket) const {
  const auto found = highest_.find(bucket);
  return found == highest_.end() ? least_ : found->second;
}

uint64_t Fence::OfAll() const {
  uint64_t highest = least_;
  for (const auto& [bucket, epoch] : highest_) highest = std::max(highest, epoch);
  return highest;
}

}  // namespace xebec::applier
