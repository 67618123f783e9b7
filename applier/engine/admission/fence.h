// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/model/assignment.h"
#include "common/model/envelope.h"

namespace xebec::applier {

/// Identifies one stream of plans within this process. Not 0.
using StreamKey = uint64_t;

/// The decision of the fence on a plan.
struct FenceAnswer {
  enum class Verdict {
    kAdmit,
    kRefuse,          ///< Late, out of sequence, or from a watcher that is not in charge.
    kReadLeaseFirst,  ///< Read the assignment, call OnAssignment, and then Check again.
  };
  Verdict verdict = Verdict::kAdmit;
  /// With kRefuse, a metric label: "Epoch", "Bucket", "BucketCount", "NoAssignment", "Expired",
  /// "Sequence".
  std::string reason;
  std::string message;         ///< With kRefuse, for users.
  uint64_t highest_epoch = 0;  ///< See Fence::HighestEpoch.
};

/// Refuses plans that are late, that repeat a sequence, or that come from a watcher which is not in
/// charge of the parent's bucket: its epoch is over, or it divides the parents into another number
/// of buckets than the assignment. A value, no clock.
class Fence {
 public:
  /// `assignment`: the Lease with the assignment, as namespace/name, for messages.
  explicit Fence(std::string assignment) : assignment_(std::move(assignment)) {}

  /// Clock skew allowed on a plan's expiry.
  static constexpr absl::Duration kSkew = absl::Seconds(2);
  /// If the assignment was read longer ago, it is read again before a plan is admitted.
  static constexpr absl::Duration kFresh = absl::Seconds(5);

  /// Called once for each plan that arrives on a stream, in order. Refuses a sequence that is not
  /// higher than the last one of the stream; returns nullopt otherwise.
  std::optional<FenceAnswer> CheckSequence(StreamKey stream, const Envelope& envelope);
  /// The stream has ended.
  void ForgetStream(StreamKey stream);

  /// Called before a plan starts. If the plan is admitted, its epoch becomes the highest one of its
  /// bucket. A plan that has waited for the assignment since `waits_since` (monotonic) needs a read
  /// that began since then, however long the answer took: after a failover such a plan can run
  /// until it expires, and the deletions of the next holder wait for that. A plan with another
  /// number of buckets is refused only after such a read: the watchers may have just changed the
  /// number. So is a plan of one of several buckets while no assignment has ever been read.
  FenceAnswer Check(const Envelope& envelope, const Instant& now,
                    std::optional<absl::Duration> waits_since = std::nullopt);

  /// True if the assignment should be read while plans run, so that no plan must wait for it.
  bool WorthRenewing(const Instant& now) const;

  /// Takes the result of a GET of the assignment that began at `asked` (monotonic). If there is no
  /// assignment (no buckets), the epochs of earlier ones remain, and plans may have any number of
  /// buckets. No read lowers an epoch. If the number of buckets has changed, plans need at least
  /// the highest epoch of all buckets before.
  void OnAssignment(const Assignment& assignment, absl::Duration asked);

  /// A request to the API server failed without an answer at `now` (monotonic). Later plans need a
  /// read of the assignment that began since then: if the API server cannot be reached, they are
  /// not started, and nothing of them is in doubt.
  void OnNoAnswer(absl::Duration now) { no_answer_ = now; }

  /// Returns the highest epoch that is known for the plan's bucket: that of admitted plans and of
  /// the assignment. 0 if none is known, or if the assignment has another number of buckets.
  uint64_t HighestEpoch(const Envelope& envelope) const;

 private:
  FenceAnswer RefuseCount(const Envelope& envelope) const;
  FenceAnswer RefuseUnassigned(const Envelope& envelope) const;
  bool OtherCount(const Envelope& envelope) const;
  bool Unassigned(const Envelope& envelope) const;
  void UseCount(uint32_t count);
  uint64_t OfBucket(uint32_t bucket) const;
  uint64_t OfAll() const;

  std::string assignment_;
  uint32_t in_force_ = 0;  // buckets of the assignment; 0 while it is missing or was not read
  bool assigned_ = false;  // an assignment has been read
  uint32_t count_ = 0;     // buckets to which highest_ refers; 0 is unknown
  uint64_t least_ = 0;     // epoch of the buckets that are not in highest_
  std::map<uint32_t, uint64_t> highest_;  // epochs by bucket, never below least_
  std::optional<absl::Duration> learnt_;  // monotonic; absent until the assignment was read
  std::map<StreamKey, uint64_t> sequences_;
  absl::Duration no_answer_ = -absl::InfiniteDuration();  // monotonic; the latest
};

/// Returns true if `now` is later than the plan's expiry plus the tolerated clock skew.
bool Expired(const Envelope& envelope, const Instant& now);

}  // namespace xebec::applier
