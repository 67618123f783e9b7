// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "common/model/assignment.h"
#include "watcher/engine/cache_freshness.h"

namespace xebec::watcher {

/// The leadership of one bucket.
struct Term {
  bool held = false;   ///< The assignment names this watcher, which is a member.
  uint64_t epoch = 0;  ///< Valid while it is held.
  /// The number of acquisitions. Results that were requested before the last one are discarded.
  uint64_t acquisitions = 0;
  /// The epoch of the last acquisition. Reports on plans of earlier epochs are discarded.
  uint64_t first_epoch = 0;
  /// Caches that contain this contain what predecessors wrote.
  CacheFreshness freshness;
  /// Plans of a predecessor may still be running until then, so destructive operations are
  /// deferred.
  absl::Duration quarantine_end = -absl::InfiniteDuration();
  /// Epochs up to this one belong to earlier memberships of this process.
  uint64_t lost_epoch = 0;
  /// The epoch that this watcher raised its own term to.
  uint64_t raised_to = 0;
  /// The bucket adds to this watcher's share of limits from then on.
  absl::Duration counts_from = -absl::InfiniteDuration();
  /// What the assignment said last; absent before the first one.
  std::optional<BucketHolder> seen;
  bool was_others = false;  ///< Another watcher has held it since this one did, or at first.
  /// Since when the bucket is known to be free, if it was handed back in order, and its epoch then.
  std::optional<absl::Duration> free_since;
  uint64_t free_epoch = 0;

  bool operator==(const Term&) const = default;
};

}  // namespace xebec::watcher
