// SPDX-License-Identifier: Apache-2.0
#include "common/http/wake_pace.h"

#include "gtest/gtest.h"

namespace xebec::http::internal {
namespace {

constexpr absl::Duration kStart = absl::Seconds(100);

TEST(WakePace, FirstWakeUpsAreNotDelayed) {
  WakePace pace;
  for (int i = 0; i < WakePace::kUndelayed; ++i) {
    EXPECT_EQ(pace.Sleep(kStart), absl::ZeroDuration()) << i;
  }
  EXPECT_EQ(pace.Sleep(kStart), WakePace::kInterval);
}

TEST(WakePace, UnderLoadThereIsOneWakeUpInAnInterval) {
  WakePace pace;
  absl::Duration now = kStart;
  int wake_ups = 0;
  for (; now < kStart + absl::Seconds(1); ++wake_ups) {
    const absl::Duration sleep = pace.Sleep(now);
    EXPECT_LE(sleep, WakePace::kInterval);
    now += sleep + absl::Microseconds(100);
  }
  EXPECT_LE(wake_ups, absl::Seconds(1) / WakePace::kInterval + WakePace::kUndelayed);
}

TEST(WakePace, QuietTimeGivesWakeUpsBack) {
  WakePace pace;
  for (int i = 0; i < WakePace::kUndelayed; ++i) pace.Sleep(kStart);
  const absl::Duration later = kStart + 3 * WakePace::kInterval;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pace.Sleep(later), absl::ZeroDuration()) << i;
  EXPECT_GT(pace.Sleep(later), absl::ZeroDuration());
}

}  // namespace
}  // namespace xebec::http::internal
