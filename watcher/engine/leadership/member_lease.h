// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/member.h"
#include "watcher/engine/leadership/members.h"

namespace xebec::watcher {

/// The member Lease of this watcher, held with client-go's rules: while it is held, no other
/// watcher may take the buckets of this one. A holder that could not renew for renew_deadline,
/// counted from the sending of its last successful write, stops leading before another watcher can
/// consider it dead. A Lease whose holder is an earlier process of the same instance is free at
/// once, because that process has ended. A value; times are monotonic.
class MemberLease {
 public:
  /// `identity` is unique for every process. `instance` is Options::instance.
  MemberLease(LeasePolicy policy, std::string identity, std::string instance, MemberFacts facts);

  /// From now on the watcher acquires a Lease when it can.
  void Join() { joined_ = true; }
  /// The state of a Lease was seen; `members` contains it.
  void OnSeen(const LeaseSeen& seen, const Members& members, absl::Duration now, Outputs* out);
  void OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out);
  /// Acquires or renews the Lease if it is time to.
  void Consider(const Members& members, absl::Duration now, Outputs* out);
  /// Tells the others that this watcher takes no more buckets.
  void Leave();
  /// The next writes tell that the caches hold these buckets. `soon`: without waiting until the
  /// Lease is to be renewed.
  void Keep(BucketSet kept, bool soon);
  /// The buckets of the last Keep.
  const BucketSet& kept() const { return *facts_.kept; }
  /// The next writes tell these shares.
  void Tell(DeclaredShares shares) { facts_.declared = std::move(shares); }
  /// The next writes tell that this watcher knows this of the assignment.
  void Know(const AssignmentKnowledge& assignment) { facts_.assignment = assignment; }
  /// Releases the Lease and does not acquire another one.
  void Release();

  /// True while the Lease is held and the renew deadline has not passed.
  bool Holds(absl::Duration now) const {
    return held_ && now - held_->renewed_at < policy_.renew_deadline;
  }
  /// The Lease that is held.
  std::optional<LeaseNumber> lease() const {
    return held_ ? std::optional(held_->lease) : std::nullopt;
  }
  /// The version of the Lease when it was acquired. Requires lease().
  const std::string& acquired_version() const { return held_->acquired_version; }
  bool leaving() const { return facts_.leaving; }
  /// How the identities of the processes begin that are known to have ended: those of the same
  /// instance, until a Lease was acquired. Empty if none is known.
  std::string_view ended() const { return acquisitions_ == 0 ? instance_ : std::string_view(); }
  /// Returns true once Release is complete.
  bool Released() const { return ended_ && !pending_ && !held_; }
  /// The number of times that a Lease was acquired.
  uint64_t acquisitions() const { return acquisitions_; }
  absl::Duration NextDeadline(const Members& members) const;
  /// Returns why the Lease is not held, for users.
  std::string Explain(const Members& members) const;

  bool operator==(const MemberLease&) const = default;

 private:
  enum class Kind { kAcquire, kRenew, kRelease };
  struct Pending {
    Kind kind;
    LeaseNumber lease;
    absl::Duration sent;
    uint64_t transitions;
    bool operator==(const Pending&) const = default;
  };
  struct Held {
    LeaseNumber lease;
    uint64_t transitions;
    absl::Duration renewed_at;  // when the write was sent
    absl::Duration next_renew;
    std::string renew_time;  // as the server returned it
    std::string acquired_version;
    bool operator==(const Held&) const = default;
  };

  /// Returns true if the state is the result of the write in progress.
  bool IsOwnWrite(const LeaseSeen& seen) const;
  void OnOwnWrite(const LeaseSeen& seen, absl::Duration now, Outputs* out);
  std::optional<LeaseNumber> Choose(const Members& members, absl::Duration now) const;
  void Write(Kind kind, LeaseNumber lease, const Members& members, absl::Duration now,
             Outputs* out);
  void Lose(const std::string& why, Outputs* out);
  void RenewSoon();
  void DropPending();

  LeasePolicy policy_;
  std::string identity_;
  std::string instance_;
  MemberFacts facts_;
  std::optional<Pending> pending_;
  // By Lease: when the first of the writes was sent whose results are unknown.
  std::map<LeaseNumber, absl::Duration> in_doubt_;
  std::optional<Held> held_;
  bool soon_ = false;  // the write in progress lacks what has to be told soon
  absl::Duration next_try_ = -absl::InfiniteDuration();
  uint64_t acquisitions_ = 0;
  bool joined_ = false;
  bool ended_ = false;
};

/// Returns a Note without an object.
Note LeaseNote(Note::Level level, std::string what, std::string detail);

}  // namespace xebec::watcher
