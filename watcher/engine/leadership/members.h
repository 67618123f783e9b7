// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/member.h"

namespace xebec::watcher {

/// A watcher that holds a member Lease.
struct Member {
  LeaseNumber lease = 0;
  std::string identity;
  MemberFacts facts;          ///< Default values if its annotation cannot be read.
  absl::Duration expires_at;  ///< Monotonic. If the Lease is not renewed, it has ended then.

  bool operator==(const Member&) const = default;
};

/// The member Leases as they were last seen. Uses only its own monotonic clock: a Lease expires if
/// it has not changed for its duration, while this watcher could see it. A value.
class Members {
 public:
  explicit Members(absl::Duration lease_duration) : duration_(lease_duration) {}

  /// A member Lease was seen. Returns false if a later state was seen before.
  bool Take(const LeaseSeen& seen, absl::Duration now);
  /// The Leases could not be read. Nothing expires until a list has shown them and they have then
  /// been read for their duration.
  void OnReadFailed();
  /// This watcher itself has stood still until now: it could not see renewals.
  void OnPaused(absl::Duration now);
  /// A list has shown all Leases.
  void OnListed(absl::Duration now);
  /// The resourceVersion of that list. Returns a message for users if it is older than that of an
  /// earlier list, once; otherwise empty.
  std::string OnVersion(const std::string& version);

  /// True while the Leases cannot be read.
  bool blind() const { return blind_; }
  /// True once a list has shown all Leases.
  bool known() const { return known_; }
  /// The last state of a Lease.
  const LeaseSeen& at(LeaseNumber lease) const { return slots_[lease].seen; }
  /// The Leases with a holder, also expired ones, in the order of the identities.
  const std::vector<Member>& present() const { return present_; }
  /// The most that any member, also an earlier one, has known of the assignment.
  const AssignmentKnowledge& told() const { return told_; }
  /// The member with this identity, or null.
  const Member* Find(std::string_view identity) const;
  /// Returns true if nobody holds the Lease.
  bool Unheld(LeaseNumber lease) const;
  /// When the Lease expires; the past if nobody holds it, never while the Leases cannot be read.
  absl::Duration ExpiresAt(LeaseNumber lease) const;

  bool operator==(const Members&) const;

 private:
  struct Slot {
    LeaseSeen seen;
    MemberFacts facts;  // of its content
    absl::Duration changed_at = -absl::InfiniteDuration();
  };

  void Review();

  absl::Duration duration_;
  std::array<Slot, kMemberLeases> slots_;
  std::vector<Member> present_;
  AssignmentKnowledge told_;
  bool known_ = false;
  bool blind_ = false;
  std::string listed_version_;  // of the last list that was not older than those before
  bool regressed_ = false;      // the last list was older
};

}  // namespace xebec::watcher
