// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "common/model/assignment.h"
#include "common/model/envelope.h"

namespace xebec::watcher::testing {

/// The laws that hold for the plans of all watchers together: epochs never go back, for a bucket
/// and for a parent whatever its bucket is, and one watcher at most plans a bucket in an epoch.
/// Each function returns the law that is violated, or an empty text.
class BucketLaws {
 public:
  /// A watcher sends a plan.
  std::string OnSent(const Envelope& envelope) {
    const auto planner =
        planners_.try_emplace({BucketOf(envelope), envelope.epoch}, envelope.watcher).first;
    if (planner->second != envelope.watcher) return "two watchers plan a bucket in one epoch";
    return sent_.Raise(envelope) ? "" : "a plan of an earlier epoch was sent";
  }
  /// An applier begins to carry a plan out.
  std::string OnCarriedOut(const Envelope& envelope) {
    return carried_out_.Raise(envelope) ? "" : "a plan of an earlier epoch was carried out";
  }

 private:
  using Bucket = std::pair<uint32_t, uint32_t>;  // of that many, and its number

  static Bucket BucketOf(const Envelope& envelope) {
    return {envelope.bucket_count, envelope.bucket};
  }

  class Highest {
   public:
    /// False if a higher epoch was known.
    bool Raise(const Envelope& envelope) {
      const bool bucket = Raise(envelope.epoch, &buckets_[BucketOf(envelope)]);
      const bool parent = Raise(envelope.epoch, &parents_[envelope.parent.uid]);
      return bucket && parent;
    }

   private:
    static bool Raise(uint64_t epoch, uint64_t* highest) {
      if (epoch < *highest) return false;
      *highest = epoch;
      return true;
    }
    std::map<Bucket, uint64_t> buckets_;
    std::map<std::string, uint64_t> parents_;  // by uid
  };

  std::map<std::pair<Bucket, uint64_t>, std::string> planners_;  // by bucket and epoch
  Highest sent_, carried_out_;
};

}  // namespace xebec::watcher::testing
