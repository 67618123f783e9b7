// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/bucket.h"
#include "watcher/engine/leadership/lease.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// The leadership of this watcher: one Lease for each bucket, and the terms that follow from its
/// acquisitions. Without leader election, this watcher leads all buckets. A value.
class Leadership {
 public:
  /// `identity` is unique for every process.
  Leadership(const Options& options, const std::string& identity);

  uint32_t buckets() const { return buckets_; }
  /// Returns true while plans of the bucket may be sent.
  bool Leads(uint32_t bucket, absl::Duration now) const;
  bool LeadsAny(absl::Duration now) const;
  /// Returns the epoch for plans of the bucket; 0 while its Lease is not held.
  uint64_t Epoch(uint32_t bucket) const;
  /// Returns the number of acquisitions of the bucket. Results that were requested before the last
  /// acquisition are discarded.
  uint64_t Acquisitions(uint32_t bucket) const;
  /// Returns the epoch of the last acquisition. Reports on plans of earlier epochs are discarded.
  uint64_t FirstEpoch(uint32_t bucket) const;
  /// Returns the end of the quarantine. Plans of a predecessor may still be running until then, so
  /// destructive operations are deferred.
  absl::Duration QuarantineEnd(uint32_t bucket) const;
  /// Returns the time from which a new list contains everything that predecessors wrote in any
  /// bucket.
  absl::Duration FreshSince() const;
  absl::Duration NextDeadline() const;
  /// Returns why this watcher does not lead the bucket, for users; empty if it leads.
  std::string Hindrance(uint32_t bucket, absl::Duration now) const;

  void OnSeen(const LeaseSeen& seen, absl::Duration now, Outputs* out);
  void OnReadFailed(const LeaseReadFailed& failed, Outputs* out);
  void OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out);
  void OnTick(absl::Duration now, Outputs* out);
  /// An applier reported `epoch` for the bucket.
  void OnHigherEpoch(uint32_t bucket, uint64_t epoch, absl::Duration now, Outputs* out);
  /// Returns the buckets that were acquired since the last call.
  std::vector<uint32_t> TakeAcquired(absl::Duration now);
  /// Whether buckets were lost or won since the last call of TakeTurn. While the epoch of a held
  /// Lease is being raised, the watcher does not lead the bucket.
  struct Turn {
    bool lost = false;
    bool won = false;
  };
  Turn TakeTurn(absl::Duration now);
  /// Releases all Leases and does not acquire them again. Returns true once none is held. `clean`
  /// means that no plan of this watcher is running.
  bool Release(bool clean, absl::Duration now, Outputs* out);

  bool operator==(const Leadership&) const = default;

 private:
  struct Term {
    LeaseElector lease;
    bool led = false;  // at the last call of TakeTurn
    uint64_t acquisitions = 0;
    uint64_t first_epoch = 0;
    absl::Duration fresh_since = -absl::InfiniteDuration();
    absl::Duration quarantine_end = -absl::InfiniteDuration();
    bool operator==(const Term&) const = default;
  };

  /// Returns null without leader election, and for an unknown bucket.
  const Term* Find(uint32_t bucket) const;
  LeaseElector* FindLease(uint32_t bucket);

  uint32_t buckets_ = 1;
  std::vector<Term> terms_;    // by bucket; empty without leader election
  absl::Duration quarantine_;  // how long the last plans of a predecessor can run
  // raised above the epochs that appliers know from an old Lease
  uint64_t epoch_without_election_ = 1;
};

}  // namespace xebec::watcher
