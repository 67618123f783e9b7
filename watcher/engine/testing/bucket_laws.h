// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "applier/engine/admission/fence.h"
#include "common/model/envelope.h"

namespace xebec::watcher::testing {

/// The laws that hold for the plans of all watchers together: epochs never go back, for a bucket
/// and for a parent whatever its bucket is, and one watcher at most plans a bucket in an epoch. An
/// applier that has not heard of an epoch carries out plans of the epoch before for as long as its
/// fence trusts what it has read. Each function returns the law that is violated, or an empty text.
class BucketLaws {
 public:
  /// A watcher sends a plan.
  std::string OnSent(const Envelope& envelope, absl::Duration now) {
    const auto planner =
        planners_.try_emplace({BucketOf(envelope), envelope.epoch}, envelope.watcher).first;
    if (planner->second != envelope.watcher) return "two watchers plan a bucket in one epoch";
    return sent_.Raise(envelope, now) ? "" : "a plan of an earlier epoch was sent";
  }
  /// An applier begins to carry a plan out.
  std::string OnCarriedOut(size_t applier, const Envelope& envelope, absl::Duration now) {
    if (!carried_out_[applier].Raise(envelope, now))
      return "a plan of an earlier epoch was carried out";
    if (sent_.Since(envelope) < now - applier::Fence::kFresh)
      return "a plan was carried out long after one of a later epoch was sent";
    return "";
  }

 private:
  using Bucket = std::pair<uint32_t, uint32_t>;  // of that many, and its number

  static Bucket BucketOf(const Envelope& envelope) {
    return {envelope.bucket_count, envelope.bucket};
  }

  class Highest {
   public:
    /// False if a higher epoch was known.
    bool Raise(const Envelope& envelope, absl::Duration now) {
      const bool bucket = Raise(envelope.epoch, now, &buckets_[BucketOf(envelope)]);
      const bool parent = Raise(envelope.epoch, now, &parents_[envelope.parent.uid]);
      return bucket && parent;
    }
    /// Returns when a higher epoch became known; infinity if none is known.
    absl::Duration Since(const Envelope& envelope) const {
      return std::min(Since(envelope.epoch, buckets_.find(BucketOf(envelope)), buckets_.end()),
                      Since(envelope.epoch, parents_.find(envelope.parent.uid), parents_.end()));
    }

   private:
    using Epochs = std::map<uint64_t, absl::Duration>;  // and when they became known

    static bool Raise(uint64_t epoch, absl::Duration now, Epochs* known) {
      known->try_emplace(epoch, now);
      return known->rbegin()->first == epoch;
    }
    template <typename Found>
    static absl::Duration Since(uint64_t epoch, Found found, Found none) {
      if (found == none) return absl::InfiniteDuration();
      const auto higher = found->second.upper_bound(epoch);
      return higher == found->second.end() ? absl::InfiniteDuration() : higher->second;
    }
    std::map<Bucket, Epochs> buckets_;
    std::map<std::string, Epochs> parents_;  // by uid
  };

  std::map<std::pair<Bucket, uint64_t>, std::string> planners_;  // by bucket and epoch
  Highest sent_;
  std::map<size_t, Highest> carried_out_;  // by applier
};

}  // namespace xebec::watcher::testing
