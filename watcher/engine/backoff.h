// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/time/time.h"

namespace xebec::watcher {

/// The longest pause that an API server can request (Retry-After).
inline constexpr absl::Duration kMaxRetryAfter = absl::Minutes(5);

/// Limits of an exponential back-off.
struct Backoff {
  absl::Duration min;
  absl::Duration max;

  bool operator==(const Backoff&) const = default;
};

/// Returns min·2^failures (0 for the first failure) plus up to 25 % that `seed` determines, at most
/// max. Deterministic: different seeds spread the times of keys that wait for the same thing.
absl::Duration BackoffDelay(const Backoff& backoff, uint32_t failures, uint64_t seed);

/// Returns a seed for BackoffDelay that depends on `text` and `number` and is the same in every
/// run.
uint64_t Seed(std::string_view text, uint64_t number);

}  // namespace xebec::watcher
