// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/failure_streak.h"

#include <utility>

namespace xebec::watcher {
namespace {

constexpr uint32_t kLong = 6;
constexpr absl::Duration kQuietAgain = absl::Minutes(2);
constexpr absl::Duration kExpiryStorm = absl::Seconds(30);

}  // namespace

void FailureStreak::Count(bool healthy, absl::Duration now) {
  if (healthy || now - last_failure_ > kQuietAgain) failures_ = 0;
  ++failures_;
  last_failure_ = now;
}

bool FailureStreak::Expire(absl::Duration now) {
  return now - std::exchange(last_expiry_, now) < kExpiryStorm;
}

bool FailureStreak::Recent(absl::Duration within, absl::Duration now) const {
  return failures_ > 0 && now - last_failure_ < within;
}

bool FailureStreak::Long() const { return failures_ >= kLong; }

absl::Duration FailureStreak::Pause(const Backoff& backoff, uint64_t seed) const {
  return BackoffDelay(backoff, failures_ == 0 ? 0 : failures_ - 1, seed);
}

}  // namespace xebec::watcher
