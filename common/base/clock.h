// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec {

/// One point in time on both clocks. Engines receive it with every input and never read a clock.
struct Instant {
  absl::Time wall;  ///< Used in logs, in conditions and for expiry times in messages.
  /// Used for timers, back-off and Leases. Has an arbitrary start and never goes back.
  absl::Duration monotonic;

  bool operator==(const Instant&) const = default;
};

/// Reads both clocks. No other code in the project reads a clock; .ci/banned checks that.
Instant ReadClock();

}  // namespace xebec
