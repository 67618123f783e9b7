// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/backoff.h"

#include <set>

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr Backoff kBackoff{absl::Milliseconds(800), absl::Seconds(30)};

TEST(Backoff, DoublesWithEveryFailureAndAddsAtMostAQuarter) {
  for (uint32_t n = 0; n < 5; ++n) {
    const absl::Duration delay = BackoffDelay(kBackoff, n, 7);
    EXPECT_GE(delay, kBackoff.min * (1 << n));
    EXPECT_LE(delay, kBackoff.min * (1 << n) * 1.25);
  }
}

TEST(Backoff, NeverExceedsItsMaximum) {
  for (const uint32_t n : {6u, 31u, 32u, 64u, 4000000000u}) {
    EXPECT_EQ(BackoffDelay(kBackoff, n, 1), kBackoff.max) << n;
  }
}

TEST(Backoff, IsTheSameInEveryRunAndDiffersWithTheSeed) {
  EXPECT_EQ(BackoffDelay(kBackoff, 1, Seed("pods", 3)), BackoffDelay(kBackoff, 1, Seed("pods", 3)));
  std::set<absl::Duration> delays;
  for (uint64_t n = 0; n < 100; ++n) delays.insert(BackoffDelay(kBackoff, 1, Seed("pods", n)));
  EXPECT_GT(delays.size(), 95u);
}

}  // namespace
}  // namespace xebec::watcher
