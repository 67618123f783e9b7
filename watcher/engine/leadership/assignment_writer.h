// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/model/assignment.h"
#include "watcher/engine/leadership/assignment_lease.h"
#include "watcher/engine/leadership/members.h"
#include "watcher/engine/leadership/terms.h"

namespace xebec::watcher {

/// Decides which watcher should hold each bucket, and when this watcher writes which assignment. A
/// value; times are monotonic.
class AssignmentWriter {
 public:
  /// What a watcher knows of the installation.
  struct Situation {
    const Members& members;
    const AssignmentLease& lease;
    const Terms& terms;
    bool leaving;                 ///< This watcher takes no more buckets.
    std::string_view ended = {};  ///< MemberLease::ended. These members take no buckets.
  };

  AssignmentWriter(uint32_t buckets, std::string identity)
      : buckets_(buckets), identity_(std::move(identity)), targets_(buckets) {}

  /// Decides again who should hold the buckets. Requires that members and assignment are known. A
  /// watcher that is no member yet acts as if it were one, so that it knows what it will get.
  void Review(const Situation& at, absl::Duration now);
  /// The assignment may have to be changed.
  void Recheck() { check_ = true; }
  /// Returns the assignment that this watcher has to write now; nullopt for none. Requires that
  /// this watcher is a member.
  std::optional<Assignment> Next(const Situation& at, absl::Duration now);
  /// What the other watchers should be told about the assignment.
  AssignmentKnowledge Knowledge(const Situation& at) const;
  /// When Next may return an assignment.
  absl::Duration NextDeadline(const Situation& at) const;

  /// By bucket: the watcher that should hold it; empty for none.
  const std::vector<std::string>& targets() const { return targets_; }
  /// True if no other living member takes buckets, as of the last Review.
  bool alone() const { return alone_; }
  /// True if living watchers use another number of buckets. This one waits until they have ended.
  bool other_count() const { return other_count_; }
  /// The number of buckets without a living holder.
  uint32_t unassigned() const { return unassigned_; }
  /// How long this watcher waits before it acts on a dead member. Members act one after the other,
  /// so that most of them have nothing left to do.
  absl::Duration Delay(const Situation& at, absl::Duration now) const;

  bool operator==(const AssignmentWriter&) const = default;

 private:
  /// Living members that take buckets, in the order of their identities.
  std::vector<std::string> Takers(const Situation& at, bool with_self, absl::Duration now) const;
  bool OtherCountInForce(const Situation& at) const;
  /// What the next assignment is made from: the present one, the one that somebody has deleted, or
  /// one without holders.
  Assignment Base(const Situation& at) const;
  Assignment Deleted(const Situation& at) const;
  Assignment WithoutHolders(const Situation& at) const;
  /// True if the assignment is missing, and another member knows a later one than this watcher.
  bool OthersKnowMore(const Situation& at) const;
  void CountOrphans(const Situation& at, const Assignment& base, absl::Duration now);
  bool MayAssign(const Situation& at) const;

  uint32_t buckets_;
  std::string identity_;
  std::vector<std::string> targets_;
  bool alone_ = false;
  bool other_count_ = false;
  uint32_t unassigned_ = 0;
  std::optional<absl::Duration> orphans_since_;
  absl::Duration turn_at_ = -absl::InfiniteDuration();  // when this one may give orphans away
  bool check_ = false;
};

}  // namespace xebec::watcher
