// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/assignment.h"
#include "watcher/engine/leadership/members.h"

namespace xebec::watcher {

/// What a watcher knows when it changes the assignment.
struct AssignmentSituation {
  const Assignment& current;
  const Members& members;
  /// By bucket: who should hold it, from Balance.
  const std::vector<std::string>& targets;
  /// By bucket: the highest epoch that was seen anywhere.
  const std::vector<uint64_t>& epochs;
  const std::string& self;
  bool gives_away_orphans;  ///< False while it is another watcher's turn to do so.
  /// Own buckets that this watcher does not use, because it was no member for some time.
  const BucketSet& unused;
  const BucketSet& idle;  ///< Own buckets without a reconcile that another watcher should hold.
  /// Of those, and of free buckets: plans may still be running.
  const BucketSet& in_doubt;
  const SeenVersions& seen = kNothingSeen;  ///< By this watcher, in the idle buckets.

  static inline const SeenVersions kNothingSeen;
};

/// Returns true if no member can plan the bucket.
bool IsOrphan(const AssignmentSituation& at, uint32_t bucket);

/// Returns the assignment that this watcher should write; `current` if nothing must change. It
/// gives orphans away, hands its idle buckets over and states what was seen in them, and raises
/// epochs that appliers know to be higher.
Assignment NextAssignment(const AssignmentSituation& at);

}  // namespace xebec::watcher
