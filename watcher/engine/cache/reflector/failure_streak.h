// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "watcher/engine/backoff.h"

namespace xebec::watcher {

/// Counts the failures of a resource in a row, which determine the next pause. A value.
class FailureStreak {
 public:
  /// Counts a failure. A new streak begins if the watch was `healthy` before, or after a quiet
  /// time.
  void Count(bool healthy, absl::Duration now);
  /// A list or watch expired. Returns true if another one expired shortly before.
  bool Expire(absl::Duration now);
  /// Returns true if the last failure was less than `within` ago.
  bool Recent(absl::Duration within, absl::Duration now) const;
  /// Returns true after so many failures in a row that their end is not in sight: with the usual
  /// pauses, after half a minute.
  bool Long() const;
  /// The pause after the last failure.
  absl::Duration Pause(const Backoff& backoff, uint64_t seed) const;

  bool operator==(const FailureStreak&) const = default;

 private:
  uint32_t failures_ = 0;
  absl::Duration last_failure_ = -absl::InfiniteDuration();
  absl::Duration last_expiry_ = -absl::InfiniteDuration();
};

}  // namespace xebec::watcher
