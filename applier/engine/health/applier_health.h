// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/kube/api_request.h"

namespace xebec::applier {

/// Decides whether this applier can carry out plans. It must reach the API server, be able to read
/// the assignment, and have the same time as the API server. Each problem ends with the first
/// evidence of the contrary. A value, no clock.
class ApplierHealth {
 public:
  /// Without a usable answer for this long, the API server counts as unreachable.
  static constexpr absl::Duration kGrace = absl::Seconds(3);
  /// An applier that got no answer for this long reads the assignment to find out.
  static constexpr absl::Duration kQuiet = absl::Seconds(10);
  /// The clock of the API server may differ by this much (Fence::kSkew).
  static constexpr absl::Duration kSkew = absl::Seconds(2);

  /// The API server answered a request that was sent `latency` ago, or did not.
  void OnAnswer(const kube::ApiResponse& response, absl::Duration latency, const Instant& now);
  /// The assignment could be read (`problem` is empty) or not.
  void OnLease(std::string problem) { lease_problem_ = std::move(problem); }
  /// A plan had expired when it arrived. Returns the reason if the clock of this applier is at
  /// fault: it differs from the API server's. Otherwise the plan was late, or the watcher's clock
  /// is wrong.
  std::optional<std::string> OnExpiredPlan(const Instant& now);

  /// The reason why this applier is not ready, for users. Empty if it is ready.
  std::string Problem(const Instant& now) const;
  /// True if a request should be sent only to learn whether the API server answers.
  bool NeedsProbe(const Instant& now) const;
  /// Returns the local time minus the time of the API server. Since the Date header has whole
  /// seconds, it returns the smallest difference that explains the last answer. The
  /// monotonic clock carries that answer to `now`, so a clock that is set is noticed at once.
  absl::Duration ClockSkew(const Instant& now) const;

 private:
  /// The earliest and the latest time that the clock of the API server can show when the monotonic
  /// clock is zero.
  struct ServerClock {
    absl::Time earliest, latest;
  };

  void LearnClock(const kube::ApiResponse& response, absl::Duration latency, const Instant& now);
  std::string ClockProblem(const Instant& now) const;

  std::string api_problem_ = "the API server has not answered yet";
  std::optional<absl::Duration> failing_since_;  // monotonic; no usable answer since then
  absl::Duration last_answer_ = -absl::InfiniteDuration();
  std::string lease_problem_;
  std::optional<ServerClock> server_clock_;  // unknown before the first answer
  bool skew_matters_ = false;                // a plan was refused because of it
};

}  // namespace xebec::applier
