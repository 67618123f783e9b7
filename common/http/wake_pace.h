// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "absl/time/time.h"

namespace xebec::http::internal {

/// Decides how long the HTTP thread sleeps after a wake-up before it works. Under load, answers and
/// events then arrive in groups, and so does the work of all threads that follow; to wake a thread
/// costs more than to handle one answer. After a quiet time, nothing is delayed. A value.
class WakePace {
 public:
  /// The longest sleep; under load there is one wake-up in this time.
  static constexpr absl::Duration kInterval = absl::Milliseconds(4);
  /// So many wake-ups follow each other without a sleep. Each interval gives one of them back.
  static constexpr int kUndelayed = 16;

  /// A wake-up at `now` (monotonic). Returns the time to sleep.
  absl::Duration Sleep(absl::Duration now) {
    const absl::Duration longest = kUndelayed * kInterval;
    repaid_at_ = std::max(repaid_at_, now) + kInterval;
    const absl::Duration sleep = repaid_at_ - now - longest;
    return std::max(sleep, absl::ZeroDuration());
  }

 private:
  absl::Duration repaid_at_ = -absl::InfiniteDuration();
};

}  // namespace xebec::http::internal
