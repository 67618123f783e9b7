// SPDX-License-Identifier: Apache-2.0
#include "common/base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace xebec {

Instant ReadClock() {
  const auto monotonic = std::chrono::steady_clock::now().time_since_epoch();
  return {absl::Now(), absl::FromChrono(monotonic)};
}

}  // namespace xebec
