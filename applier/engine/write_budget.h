// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace xebec::applier {

/// How many writes one process has in flight at the API server: grows while answers are quick,
/// shrinks when the server says 429 or grows slow (additive increase, multiplicative decrease).
/// There is no fixed rate. A value; `now` is monotonic.
class WriteBudget {
 public:
  struct Options {
    double min = 2;
    double start = 32;
    double max = 256;
    absl::Duration slow = absl::Seconds(1);  ///< Answers slower than this, smoothed, are too slow.
    absl::Duration pause = absl::Milliseconds(500);  ///< At most one decrease within it.
  };

  WriteBudget() : WriteBudget(Options()) {}
  explicit WriteBudget(const Options& options) : options_(options), allowed_(options.start) {}

  /// Writes that may be sent now.
  size_t Available() const;
  /// A write was sent.
  void OnSent() { ++in_flight_; }
  /// Its answer came, or none will (status 0). `status` is the HTTP status.
  void OnResponse(absl::Duration latency, int status, absl::Duration now);

  size_t allowed() const { return static_cast<size_t>(allowed_); }
  size_t in_flight() const { return in_flight_; }

 private:
  void Shrink(double factor, absl::Duration now);

  Options options_;
  double allowed_;
  size_t in_flight_ = 0;
  absl::Duration smoothed_ = absl::ZeroDuration();
  absl::Duration last_shrunk_ = -absl::InfiniteDuration();
};

}  // namespace xebec::applier
