// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "common/model/assignment.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/member.h"
#include "watcher/engine/leadership/members.h"

namespace xebec::watcher {

/// The Lease that carries the assignment: what was last seen of it, and this watcher's write. A
/// write replaces exactly the version that was seen. A value.
class AssignmentLease {
 public:
  explicit AssignmentLease(LeasePolicy policy) : policy_(policy) {}

  /// The Lease was seen. Ignores it if a later state was seen before. Notes what only another
  /// client than a watcher does: a deletion, an unreadable assignment, a lower epoch, another
  /// holder in the same epoch.
  void Take(const LeaseSeen& seen, Outputs* out);
  /// Notes the watchers that the assignment names since Take, although they are no `members`.
  /// `members` is at least as new as the assignment.
  void NoteUnknown(const Members& members, Outputs* out);
  /// A list has shown all Leases.
  void OnListed() { known_ = true; }
  void OnWriteFailed(const ApiFailure& failure, absl::Duration now, Outputs* out);
  /// Writes `next`, as a version that is later than `version` too. Requires MayWrite.
  void Write(const Assignment& next, const std::string& identity, uint64_t version,
             absl::Duration now, Outputs* out);

  /// Returns true if the assignment is known and no write is in progress or has just failed.
  bool MayWrite(absl::Duration now) const { return known_ && NextWrite() <= now; }
  /// When MayWrite may become true.
  absl::Duration NextWrite() const;
  bool known() const { return known_; }
  /// Without buckets if there is no assignment, or none that can be read.
  const Assignment& current() const { return current_; }
  /// The last assignment that could be read, also if it has been deleted since. Without buckets if
  /// this watcher has never read one.
  const Assignment& last() const { return last_; }
  /// What is known of it.
  AssignmentKnowledge knowledge() const { return {version_, last_.HighestEpoch()}; }
  /// True if the assignment has had two numbers of buckets since this watcher began.
  bool recounted() const { return recounted_; }
  /// The version of the Lease that was last seen.
  const std::string& resource_version() const { return resource_version_; }
  /// Writes that failed in a row, without conflicts.
  uint32_t failures() const { return failures_; }

  bool operator==(const AssignmentLease&) const = default;

 private:
  /// Reads the text that was seen last.
  void Read(Outputs* out);

  LeasePolicy policy_;
  bool known_ = false;
  bool exists_ = false;
  std::string resource_version_;
  uint64_t transitions_ = 0;
  std::string text_;
  Assignment current_, last_;
  uint64_t version_ = 0;  // of last_
  bool recounted_ = false;
  std::set<std::string> newcomers_;     // the assignment before did not name them
  std::optional<absl::Duration> sent_;  // the write in progress
  absl::Duration next_try_ = -absl::InfiniteDuration();
  uint32_t failures_ = 0;
};

}  // namespace xebec::watcher
