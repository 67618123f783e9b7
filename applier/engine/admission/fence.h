// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/model/envelope.h"

namespace xebec::applier {

/// Identifies one stream of plans within this process. 0 stands for unary calls, whose sequences
/// are not checked.
using StreamKey = uint64_t;

/// The decision of the fence on a plan.
struct FenceAnswer {
  enum class Verdict {
    kAdmit,
    kRefuse,          ///< Late, out of sequence, or from a deposed watcher.
    kReadLeaseFirst,  ///< Read the bucket's Lease, call OnLease, and then Check again.
  };
  Verdict verdict = Verdict::kAdmit;
  std::string reason;          ///< With kRefuse, a metric label: "Epoch", "Expired", "Sequence".
  std::string message;         ///< With kRefuse, for users.
  uint64_t highest_epoch = 0;  ///< Highest epoch known for the plan's bucket; 0 when none is known.
};

/// The Lease of a bucket as a GET returned it.
struct LeaseFact {
  bool exists = false;
  uint64_t transitions = 0;  ///< Lease.spec.leaseTransitions
};

/// Refuses plans that are late, that repeat a sequence, or that come from a watcher which is no
/// longer in charge. A value, no clock.
class Fence {
 public:
  /// Clock skew allowed on a plan's expiry.
  static constexpr absl::Duration kSkew = absl::Seconds(2);
  /// If the epoch of a bucket was read longer ago, the Lease is read before a plan is admitted.
  static constexpr absl::Duration kFresh = absl::Seconds(5);

  /// Called once for each plan that arrives on a stream, in order. Refuses a sequence that is not
  /// higher than the last one of the stream; returns nullopt otherwise.
  std::optional<FenceAnswer> CheckSequence(StreamKey stream, const Envelope& envelope);
  /// The stream has ended.
  void ForgetStream(StreamKey stream);

  /// Called before a plan starts. If the plan is admitted, its epoch becomes the highest one. A
  /// plan that has waited for the Lease since `waits_since` (monotonic) needs a read that began
  /// since then, however long the answer took: after a failover such a plan can run until it
  /// expires, and the deletions of the next leader wait for that.
  FenceAnswer Check(const Envelope& envelope, const Instant& now,
                    std::optional<absl::Duration> waits_since = std::nullopt);

  /// True if the bucket's Lease should be read while plans run, so that no plan must wait for it.
  bool WorthRenewing(uint32_t bucket, const Instant& now) const;

  /// Takes the result of a GET of the bucket's Lease that began at `asked` (monotonic). A missing
  /// Lease refuses no plan and does not lower the highest epoch.
  void OnLease(uint32_t bucket, const LeaseFact& lease, absl::Duration asked);

  /// A request to the API server failed without an answer at `now` (monotonic). Later plans need a
  /// read of the Lease that began since then: if the API server cannot be reached, they are not
  /// started, and nothing of them is in doubt.
  void OnNoAnswer(absl::Duration now) { no_answer_ = now; }

  /// Returns the highest known epoch, or 0.
  uint64_t HighestEpoch(uint32_t bucket) const;

 private:
  struct Bucket {
    uint64_t highest = 0;
    std::optional<absl::Duration> learnt;  // monotonic; absent until the Lease was read
  };
  std::map<uint32_t, Bucket> buckets_;
  std::map<StreamKey, uint64_t> sequences_;
  absl::Duration no_answer_ = -absl::InfiniteDuration();  // monotonic; the latest
};

/// Returns true if `now` is later than the plan's expiry plus the tolerated clock skew.
bool Expired(const Envelope& envelope, const Instant& now);

}  // namespace xebec::applier
