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

/// Identifies one stream of plans within this process; 0 stands for unary calls, whose sequences
/// are not checked.
using StreamKey = uint64_t;

/// What the fence says of a plan.
struct FenceAnswer {
  enum class Verdict {
    kAdmit,
    kRefuse,          ///< Late, out of sequence, or from a deposed watcher.
    kReadLeaseFirst,  ///< Read the bucket's Lease, tell OnLease, ask again.
  };
  Verdict verdict = Verdict::kAdmit;
  std::string reason;          ///< With kRefuse, a metric label: "Epoch", "Expired", "Sequence".
  std::string message;         ///< With kRefuse, for people.
  uint64_t highest_epoch = 0;  ///< Highest epoch known for the plan's bucket; 0 when none is known.
};

/// The Lease of a bucket as a GET found it.
struct LeaseFact {
  bool exists = false;
  uint64_t transitions = 0;  ///< Lease.spec.leaseTransitions
};

/// Keeps plans of deposed watchers, late and repeated ones from being carried out (design §3.9). A
/// value, no clock.
class Fence {
 public:
  /// Clock skew allowed on a plan's expiry.
  static constexpr absl::Duration kSkew = absl::Seconds(2);
  /// Older knowledge of a bucket's epoch is renewed before a plan is admitted.
  static constexpr absl::Duration kFresh = absl::Seconds(5);

  /// Called once for every plan that arrives on a stream, in order: a sequence that is not higher
  /// than the last one of the stream is refused. nullopt: in order.
  std::optional<FenceAnswer> CheckSequence(StreamKey stream, const Envelope& envelope);
  /// The stream is over.
  void ForgetStream(StreamKey stream);

  /// Called when a plan's turn has come. Admission raises the highest epoch to the plan's. A plan
  /// that was told to read the Lease first, at `waits_since` (monotonic), is content with a read
  /// begun since then, however long its answer took: after a change of leadership it can at most be
  /// carried out until it expires, which the next leader's deletions wait for.
  FenceAnswer Check(const Envelope& envelope, const Instant& now,
                    std::optional<absl::Duration> waits_since = std::nullopt);

  /// True when the bucket's Lease should be read beside the work, so that no plan has to wait for
  /// it.
  bool WorthRenewing(uint32_t bucket, const Instant& now) const;

  /// What a GET of the bucket's Lease, begun at `asked` (monotonic), said. A missing Lease fences
  /// nobody, and what was known stays known.
  void OnLease(uint32_t bucket, const LeaseFact& lease, absl::Duration asked);

  /// Highest epoch known; 0 when none is.
  uint64_t HighestEpoch(uint32_t bucket) const;

 private:
  struct Bucket {
    uint64_t highest = 0;
    std::optional<absl::Duration> learnt;  // monotonic; absent until the Lease was read
  };
  std::map<uint32_t, Bucket> buckets_;
  std::map<StreamKey, uint64_t> sequences_;
};

/// True when `now` is past the plan's expiry and the skew allowed.
bool Expired(const Envelope& envelope, const Instant& now);

}  // namespace xebec::applier
