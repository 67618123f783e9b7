// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace xebec::watcher {

/// The share of a watcher in a limit of the whole installation, by the buckets that it holds. A
/// bucket that was another watcher's counts only some time after it was gained, because the other
/// one may have used its share before. A value; times are monotonic.
struct LimitShare {
  struct Step {
    absl::Duration from;
    uint32_t buckets = 0;  ///< Those that count from then on.
    bool operator==(const Step&) const = default;
  };

  uint32_t count = 1;  ///< All buckets of the installation.
  /// Ascending by time, not empty.
  std::vector<Step> steps = std::vector<Step>(1, Step{-absl::InfiniteDuration(), 1});

  /// Returns what the watcher may use of `limit` at that time: rounded down, but at least 1 unless
  /// the limit is 0, so that every watcher makes progress.
  uint32_t Of(uint32_t limit, absl::Duration at) const;
  /// Returns when the share changes after that time; InfiniteDuration for never.
  absl::Duration NextStep(absl::Duration at) const;

  bool operator==(const LimitShare&) const = default;
};

/// Returns the share of a watcher with a bucket for each element of `counts_from`: the time from
/// which on the bucket counts.
LimitShare MakeLimitShare(uint32_t count, std::vector<absl::Duration> counts_from);

}  // namespace xebec::watcher
