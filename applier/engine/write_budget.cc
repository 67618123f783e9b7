// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/write_budget.h"

#include <algorithm>

namespace xebec::applier {
namespace {

constexpr double kAfterThrottle = 0.5;
constexpr double kAfterSlowness = 0.8;
constexpr double kSmoothing = 0.1;  // weight of the newest latency

}  // namespace

size_t WriteBudget::Available() const { return allowed() - std::min(allowed(), in_flight_); }

void WriteBudget::Shrink(double factor, absl::Duration now) {
  if (now - last_shrunk_ < options_.pause) return;
  last_shrunk_ = now;
  allowed_ = std::max(options_.min, allowed_ * factor);
}

void WriteBudget::OnResponse(absl::Duration latency, int status, absl::Duration now) {
  const bool was_full = in_flight_ * 2 >= allowed();
  in_flight_ -= std::min<size_t>(in_flight_, 1);
  smoothed_ += (latency - smoothed_) * kSmoothing;
  if (status == 429) return Shrink(kAfterThrottle, now);
  if (status == 0 || status == 503 || status == 504) return Shrink(kAfterSlowness, now);
  if (smoothed_ > options_.slow) return Shrink(kAfterSlowness, now);
  if (was_full) allowed_ = std::min(options_.max, allowed_ + 1 / allowed_);
}

}  // namespace xebec::applier
