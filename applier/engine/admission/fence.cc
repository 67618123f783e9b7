// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/fence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xebec::applier {
namespace {

FenceAnswer Refuse(std::string reason, std::string message, uint64_t highest) {
  return {FenceAnswer::Verdict::kRefuse, std::move(reason), std::move(message), highest};
}

}  // namespace

bool Expired(const Envelope& envelope, const Instant& now) {
  return now.wall > envelope.not_after + Fence::kSkew;
}

std::optional<FenceAnswer> Fence::CheckSequence(StreamKey stream, const Envelope& envelope) {
  if (stream == 0) return std::nullopt;
  uint64_t& last = sequences_[stream];
  if (envelope.sequence > last) {
    last = envelope.sequence;
    return std::nullopt;
  }
  return Refuse("Sequence",
                absl::StrCat("sequence ", envelope.sequence, " on a stream that has had ", last,
                             ": a repeated or reordered plan is not carried out"),
                HighestEpoch(envelope.bucket));
}

void Fence::ForgetStream(StreamKey stream) { sequences_.erase(stream); }

FenceAnswer Fence::Check(const Envelope& envelope, const Instant& now,
                         std::optional<absl::Duration> waits_since) {
  const auto found = buckets_.find(envelope.bucket);
  const Bucket known = found == buckets_.end() ? Bucket{} : found->second;
  if (Expired(envelope, now)) {
    return Refuse("Expired",
                  absl::StrCat("the plan expired at ",
                               absl::FormatTime(envelope.not_after, absl::UTCTimeZone()),
                               "; it is now ", absl::FormatTime(now.wall, absl::UTCTimeZone()),
                               " here (a difference of clocks looks the same)"),
                  known.highest);
  }
  if (envelope.epoch < known.highest) {
    return Refuse("Epoch",
                  absl::StrCat("epoch ", envelope.epoch, " of bucket ", envelope.bucket,
                               " is over: ", known.highest, " is known"),
                  known.highest);
  }
  const absl::Duration learnt = known.learnt.value_or(-absl::InfiniteDuration());
  const bool fresh = learnt >= now.monotonic - kFresh && learnt > no_answer_;
  if (!fresh && (!waits_since || learnt < *waits_since)) {
    return {FenceAnswer::Verdict::kReadLeaseFirst, "", "", known.highest};
  }
  buckets_[envelope.bucket].highest = envelope.epoch;
  return {FenceAnswer::Verdict::kAdmit, "", "", envelope.epoch};
}

void Fence::OnLease(uint32_t bucket, const LeaseFact& lease, absl::Duration asked) {
  Bucket& known = buckets_[bucket];
  if (lease.exists) known.highest = std::max(known.highest, lease.transitions);
  known.learnt = std::max(known.learnt.value_or(asked), asked);
}

bool Fence::WorthRenewing(uint32_t bucket, const Instant& now) const {
  const auto found = buckets_.find(bucket);
  return found == buckets_.end() || !found->second.learnt ||
         *found->second.learnt + kFresh / 2 < now.monotonic;
}

uint64_t Fence::HighestEpoch(uint32_t bucket) const {
  const auto found = buckets_.find(bucket);
  return found == buckets_.end() ? 0 : found->second.highest;
}

}  // namespace xebec::applier
