// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace xebec::applier {

/// Bounds of a limit on requests in flight.
struct LimitBounds {
  double min = 8;     ///< The limit never falls below this value.
  double start = 32;  ///< The limit at the beginning.
  double max = 256;   ///< The limit never rises above this value.
};

/// A limit on requests in flight: additive increase, multiplicative decrease. A value; `now` is
/// monotonic.
class AdaptiveLimit {
 public:
  explicit AdaptiveLimit(const LimitBounds& bounds) : bounds_(bounds), allowed_(bounds.start) {}

  /// Adds one for each round trip of all requests that the limit allows.
  void Grow();
  /// Multiplies the limit by `factor`, at most once in half a second: the answers to one burst of
  /// requests count once.
  void Shrink(double factor, absl::Duration now);

  size_t allowed() const { return static_cast<size_t>(allowed_); }
  /// True if the limit is at its minimum and has shrunk in the last five minutes. A limit that is
  /// not used stays at its minimum and says nothing about the API server.
  bool held_down(absl::Duration now) const;

 private:
  LimitBounds bounds_;
  double allowed_;
  absl::Duration last_shrunk_ = -absl::InfiniteDuration();
};

/// The limit on requests in flight of one class, that is one resource and one verb. It shrinks when
/// answers become slow compared with the usual latency of the same class: an admission webhook that
/// always takes 1.5 s does not shrink it, one that begins to take 1.5 s shrinks it for a while.
/// A value; `now` is monotonic.
class ClassLimit {
 public:
  explicit ClassLimit(const LimitBounds& bounds) : limit_(bounds) {}

  /// Takes the latency of a successful answer. `in_flight` counts the requests of this class before
  /// the answer: a limit that is not used does not grow.
  void OnAnswer(absl::Duration latency, size_t in_flight, absl::Duration now);
  /// A request of this class had no answer in time.
  void OnTimeout(absl::Duration now);

  size_t allowed() const { return limit_.allowed(); }
  /// As AdaptiveLimit::held_down: answers were slow or missing.
  bool held_down(absl::Duration now) const { return limit_.held_down(now); }
  /// The latency of recent answers, smoothed.
  absl::Duration recent() const { return recent_; }
  /// The usual latency of this class.
  absl::Duration baseline() const { return baseline_; }

 private:
  void Learn(absl::Duration latency, absl::Duration now);

  AdaptiveLimit limit_;
  absl::Duration recent_ = absl::ZeroDuration();
  absl::Duration baseline_ = absl::ZeroDuration();
  absl::Duration learnt_ = -absl::InfiniteDuration();  // time of the last answer
};

}  // namespace xebec::applier
