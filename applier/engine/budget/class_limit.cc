// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/class_limit.h"

#include <algorithm>

namespace xebec::applier {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(500);  // between two decreases
constexpr double kSmoothing = 0.2;                          // weight of the newest latency
constexpr double kTolerance = 2.0;                          // recent latency over the baseline
// Answers that are quicker than this are never too slow, whatever the baseline is.
constexpr absl::Duration kQuick = absl::Milliseconds(500);
// A lasting change of the latency becomes the baseline within about this time.
constexpr absl::Duration kDrift = absl::Seconds(30);
constexpr double kAfterSlowness = 0.8;
constexpr absl::Duration kLately = absl::Minutes(5);

}  // namespace

void AdaptiveLimit::Grow() { allowed_ = std::min(bounds_.max, allowed_ + 1 / allowed_); }

bool AdaptiveLimit::held_down(absl::Duration now) const {
  return allowed_ <= bounds_.min && now - last_shrunk_ <= kLately;
}

void AdaptiveLimit::Shrink(double factor, absl::Duration now) {
  if (now - last_shrunk_ < kPause) return;
  last_shrunk_ = now;
  allowed_ = std::max(bounds_.min, allowed_ * factor);
}

void ClassLimit::Learn(absl::Duration latency, absl::Duration now) {
  if (learnt_ == -absl::InfiniteDuration()) {
    recent_ = baseline_ = latency;
  } else {
    recent_ += (latency - recent_) * kSmoothing;
    // The baseline follows quicker answers at once and slower ones by and by.
    const double part =
        recent_ < baseline_ ? kSmoothing : std::min(1.0, absl::FDivDuration(now - learnt_, kDrift));
    baseline_ += (recent_ - baseline_) * part;
  }
  learnt_ = now;
}

void ClassLimit::OnAnswer(absl::Duration latency, size_t in_flight, absl::Duration now) {
  Learn(latency, now);
  if (recent_ > kQuick && recent_ > baseline_ * kTolerance) {
    limit_.Shrink(kAfterSlowness, now);
  } else if (in_flight * 2 >= allowed()) {
    limit_.Grow();
  }
}

void ClassLimit::OnTimeout(absl::Duration now) { limit_.Shrink(kAfterSlowness, now); }

}  // namespace xebec::applier
