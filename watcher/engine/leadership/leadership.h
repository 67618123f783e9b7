// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/leadership/lease.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// The bucket, of `count` (at least 1), that a parent belongs to for as long as it lives: ranges of
/// the FNV-1a hash of its uid, as KEP-5866 cuts them.
uint32_t BucketOf(std::string_view uid, uint32_t count);

/// What this watcher leads: one Lease for each bucket, and what follows from having acquired it.
/// Without election all is led. A value.
class Leadership {
 public:
  /// `identity` is fresh for every process.
  Leadership(const Options& options, const std::string& identity);

  uint32_t buckets() const { return buckets_; }
  /// True while plans of the bucket may be sent.
  bool Leads(uint32_t bucket, absl::Duration now) const;
  bool LeadsAny(absl::Duration now) const;
  /// What plans of the bucket are sent with; 0 while its Lease is not held.
  uint64_t Epoch(uint32_t bucket) const;
  /// Counts the bucket's acquisitions: what was seen before one counts no more.
  uint64_t Acquisitions(uint32_t bucket) const;
  /// Of the last acquisition. Reports on plans of earlier epochs say nothing any more.
  uint64_t FirstEpoch(uint32_t bucket) const;
  /// Until then plans of a predecessor of the bucket may be under way: nothing destructive begins.
  absl::Duration QuarantineEnd(uint32_t bucket) const;
  /// Caches whose list began at this time or later hold all that predecessors wrote, of whichever
  /// bucket.
  absl::Duration FreshSince() const;
  absl::Duration NextDeadline() const;
  /// For people: why the bucket is not led; empty when it is.
  std::string Hindrance(uint32_t bucket, absl::Duration now) const;

  void OnSeen(const LeaseSeen& seen, absl::Duration now, Outputs* out);
  void OnReadFailed(const LeaseReadFailed& failed, Outputs* out);
  void OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out);
  void OnTick(absl::Duration now, Outputs* out);
  /// An applier knows `epoch` of the bucket.
  void OnHigherEpoch(uint32_t bucket, uint64_t epoch, absl::Duration now, Outputs* out);
  /// The buckets that were acquired since this was asked last.
  std::vector<uint32_t> TakeAcquired(absl::Duration now);
  /// Whether buckets were lost and won since this was asked last; while a Lease that is held is
  /// lifted to a higher epoch, it leads nobody.
  struct Turn {
    bool lost = false;
    bool won = false;
  };
  Turn TakeTurn(absl::Duration now);
  /// Gives every Lease up, for good; true once none is held. `clean`: nothing of ours is under way.
  bool Release(bool clean, absl::Duration now, Outputs* out);

  bool operator==(const Leadership&) const = default;

 private:
  struct Term {
    LeaseElector lease;
    bool led = false;  // when TakeTurn was asked
    uint64_t acquisitions = 0;
    uint64_t first_epoch = 0;
    absl::Duration fresh_since = -absl::InfiniteDuration();
    absl::Duration quarantine_end = -absl::InfiniteDuration();
    bool operator==(const Term&) const = default;
  };

  /// Null without election, and for a bucket that there is not.
  const Term* Find(uint32_t bucket) const;
  LeaseElector* FindLease(uint32_t bucket);

  uint32_t buckets_ = 1;
  std::vector<Term> terms_;              // by bucket; none without election
  absl::Duration quarantine_;            // how long plans can go on that a predecessor sent last
  uint64_t epoch_without_election_ = 1;  // rises with what appliers have seen of an old Lease
};

}  // namespace xebec::watcher
