// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/time/time.h"

namespace xebec::watcher {

/// The longest pause that an API server can ask of us (Retry-After).
inline constexpr absl::Duration kMaxRetryAfter = absl::Minutes(5);

/// Bounds of an exponential back-off.
struct Backoff {
  absl::Duration min;
  absl::Duration max;

  bool operator==(const Backoff&) const = default;
};

/// min·2^failures (the first failure is 0), up to a quarter more by `seed`, never above max.
/// Deterministic: whoever waits for the same thing with another seed wakes at another time.
absl::Duration BackoffDelay(const Backoff& backoff, uint32_t failures, uint64_t seed);

/// A seed for BackoffDelay: differs with text and number, the same in every run.
uint64_t Seed(std::string_view text, uint64_t number);

}  // namespace xebec::watcher
