// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec {

/// One instant on both clocks. Engines get it with every input and never ask for it.
struct Instant {
  absl::Time wall;  ///< For people, conditions and expiry on the wire.
  absl::Duration
      monotonic;  ///< For timers, back-off and leases; the start is arbitrary, never goes back.

  bool operator==(const Instant&) const = default;
};

/// Reads both clocks. The one place in the project that does (checked by .ci).
Instant ReadClock();

}  // namespace xebec
