// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/failure_streak.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr Backoff kBackoff{absl::Seconds(1), absl::Seconds(30)};

TEST(FailureStreak, PausesGrowWithinAStreak) {
  FailureStreak streak;
  absl::Duration now = absl::Seconds(1000);
  absl::Duration last = absl::ZeroDuration();
  for (int i = 0; i < 5; ++i) {
    streak.Count(/*healthy=*/false, now += absl::Seconds(1));
    EXPECT_GT(streak.Pause(kBackoff, 0), last);
    last = streak.Pause(kBackoff, 0);
  }
  streak.Count(/*healthy=*/true, now);
  EXPECT_LT(streak.Pause(kBackoff, 0), absl::Seconds(2));
  streak.Count(false, now);
  streak.Count(false, now + absl::Minutes(3));
  EXPECT_LT(streak.Pause(kBackoff, 0), absl::Seconds(2)) << "after a quiet time";
}

TEST(FailureStreak, IsLongAfterSixFailuresInARow) {
  FailureStreak streak;
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(streak.Long());
    streak.Count(/*healthy=*/false, absl::Seconds(1000));
  }
  EXPECT_TRUE(streak.Long());
  streak.Count(/*healthy=*/true, absl::Seconds(1000));
  EXPECT_FALSE(streak.Long());
}

TEST(FailureStreak, KnowsWhatHappenedShortlyBefore) {
  const absl::Duration now = absl::Seconds(1000);
  FailureStreak streak;
  EXPECT_FALSE(streak.Recent(absl::Minutes(1), now));
  streak.Count(false, now);
  EXPECT_TRUE(streak.Recent(absl::Minutes(1), now + absl::Seconds(59)));
  EXPECT_FALSE(streak.Recent(absl::Minutes(1), now + absl::Seconds(60)));
  EXPECT_FALSE(streak.Expire(now));
  EXPECT_TRUE(streak.Expire(now + absl::Seconds(29)));
  EXPECT_FALSE(streak.Expire(now + absl::Seconds(59)));
}

}  // namespace
}  // namespace xebec::watcher
