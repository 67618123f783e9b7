// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/time/time.h"

namespace xebec::http::internal {

/// Requests without an answer, and those of them that are reads. Watches do not count.
struct RequestsInFlight {
  size_t all = 0;
  size_t reads = 0;
};

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
  /// While requests are in flight, it is at most this time for each of them, and at least
  /// kInterval: few requests carry little work, and the next ones may wait for their answers.
  static constexpr absl::Duration kForEachRequest = absl::Microseconds(250);
  /// So many wake-ups follow each other without a sleep. Each kInterval gives one of them back.
  static constexpr int kUndelayed = 16;

  /// A wake-up at `now` (monotonic). Returns the time to sleep. While the client reads, nothing is
  /// delayed: a page of a list takes many wake-ups, and somebody waits for it.
  absl::Duration Sleep(absl::Duration now, RequestsInFlight requests = {}) {
    if (requests.reads > 0) return absl::ZeroDuration();
    if (repaid_at_ - now < kUndelayed * kInterval / 2) load_since_ = std::nullopt;
    repaid_at_ = std::max(repaid_at_, now) + Interval(now, requests.all);
    const absl::Duration sleep = repaid_at_ - now - kUndelayed * kInterval;
    if (sleep <= absl::ZeroDuration()) return absl::ZeroDuration();
    if (!load_since_) load_since_ = now;
    return sleep;
  }

 private:
  absl::Duration Interval(absl::Duration now, size_t requests) const {
    if (!load_since_) return kInterval;
    const absl::Duration longest =
        requests == 0 ? kLongest : std::clamp(requests * kForEachRequest, kInterval, kLongest);
    return std::clamp((now - *load_since_) / kGrowth, kInterval, longest);
  }

  absl::Duration repaid_at_ = -absl::InfiniteDuration();
  std::optional<absl::Duration> load_since_;  // the first wake-up with a sleep
};

}  // namespace xebec::http::internal
