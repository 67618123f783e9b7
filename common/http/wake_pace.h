// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "absl/time/time.h"

namespace xebec::http::internal {

/// Decides how long the HTTP thread sleeps after a wake-up before it works. Under load, answers and
/// events then arrive in groups, and so does the work of all threads that follow; to wake a thread
/// costs more than to handle one answer. The groups grow during the first moments of a load, until
/// there is one wake-up in kLongest. After a quiet time, nothing is delayed. A value.
class WakePace {
 public:
  /// At the beginning of a load there is one wake-up in this time.
  static constexpr absl::Duration kInterval = absl::Milliseconds(4);
  /// The longest sleep. If answers wait longer, more requests are in flight, which slows the API
  /// server down.
  static constexpr absl::Duration kLongest = absl::Milliseconds(16);
  /// The time between two wake-ups is the duration of the load, divided by this.
  static constexpr int kGrowth = 8;
  /// So many wake-ups follow each other without a sleep. Each kInterval gives one of them back.
  static constexpr int kUndelayed = 16;

  /// A wake-up at `now` (monotonic). Returns the time to sleep. While the client reads, nothing is
  /// delayed: a page of a list takes many wake-ups, and somebody waits for it.
  absl::Duration Sleep(absl::Duration now, bool reads = false) {
    if (reads) return absl::ZeroDuration();
    if (repaid_at_ - now < kUndelayed * kInterval / 2) load_since_ = std::nullopt;
    repaid_at_ = std::max(repaid_at_, now) + Interval(now);
    const absl::Duration sleep = repaid_at_ - now - kUndelayed * kInterval;
    if (sleep <= absl::ZeroDuration()) return absl::ZeroDuration();
    if (!load_since_) load_since_ = now;
    return sleep;
  }

 private:
  absl::Duration Interval(absl::Duration now) const {
    if (!load_since_) return kInterval;
    return std::clamp((now - *load_since_) / kGrowth, kInterval, kLongest);
  }

  absl::Duration repaid_at_ = -absl::InfiniteDuration();
  std::optional<absl::Duration> load_since_;  // the first wake-up with a sleep
};

}  // namespace xebec::http::internal
