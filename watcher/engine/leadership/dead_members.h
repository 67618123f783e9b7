// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/member.h"
#include "watcher/engine/leadership/members.h"

namespace xebec::watcher {

/// Releases the member Leases of watchers that have not renewed them, so that their buckets may be
/// given away. Another Lease with the identity of this watcher is released at once: it was acquired
/// without an answer. A value; times are monotonic.
class DeadMembers {
 public:
  DeadMembers(LeasePolicy policy, std::string identity)
      : policy_(policy), identity_(std::move(identity)) {}

  /// The Leases may have changed.
  void Recheck() { due_ = -absl::InfiniteDuration(); }
  /// Writes what is due. `own` is the Lease that this watcher holds. Members act on a dead one
  /// after different delays; `delay` is that of this watcher. Returns true if another watcher was
  /// found dead.
  bool Release(const Members& members, std::optional<LeaseNumber> own, absl::Duration delay,
               absl::Duration now, Outputs* out);
  /// The state of a Lease was seen.
  void OnSeen(LeaseNumber lease) { sent_.erase(lease); }
  /// Returns false if this watcher does not release that Lease.
  bool OnWriteFailed(LeaseNumber lease) { return sent_.erase(lease) != 0; }
  /// When Release has to be called; earlier calls write nothing new.
  absl::Duration NextDeadline() const { return due_; }

  bool operator==(const DeadMembers&) const = default;

 private:
  /// When the Lease of the member should be released.
  absl::Duration DueAt(const Member& member, const Members& members, absl::Duration delay,
                       absl::Duration now) const;
  void Write(const Member& member, const Members& members, absl::Duration now, Outputs* out);

  LeasePolicy policy_;
  std::string identity_;
  std::map<LeaseNumber, absl::Duration> sent_;  // writes in progress, by when they were sent
  absl::Duration due_ = absl::InfiniteDuration();
};

}  // namespace xebec::watcher
