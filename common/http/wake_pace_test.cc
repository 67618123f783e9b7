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

/// Wakes up again at once until `*now` has advanced by `time`. Returns the number of wake-ups.
int LoadFor(absl::Duration time, WakePace* pace, absl::Duration* now, size_t requests = 0) {
  int wake_ups = 0;
  for (const absl::Duration end = *now + time; *now < end; ++wake_ups) {
    const absl::Duration sleep = pace->Sleep(*now, {.all = requests});
    EXPECT_LE(sleep, WakePace::kLongest);
    *now += sleep + absl::Microseconds(100);
  }
  return wake_ups;
}

TEST(WakePace, AtTheBeginningOfALoadThereIsOneWakeUpInAnInterval) {
  const absl::Duration kBeginning = WakePace::kGrowth * WakePace::kInterval;
  WakePace pace;
  absl::Duration now = kStart;
  const int wake_ups = LoadFor(kBeginning, &pace, &now);
  EXPECT_LE(wake_ups, kBeginning / WakePace::kInterval + WakePace::kUndelayed);
  EXPECT_GE(wake_ups, kBeginning / WakePace::kInterval);
}

TEST(WakePace, ALoadThatLastsHasOneWakeUpInTheLongestInterval) {
  WakePace pace;
  absl::Duration now = kStart;
  LoadFor(WakePace::kGrowth * WakePace::kLongest, &pace, &now);
  EXPECT_LE(LoadFor(absl::Seconds(1), &pace, &now), absl::Seconds(1) / WakePace::kLongest + 1);
}

TEST(WakePace, AShortGapDoesNotEndALoad) {
  WakePace pace;
  absl::Duration now = kStart;
  LoadFor(absl::Seconds(1), &pace, &now);
  now += WakePace::kLongest;
  EXPECT_LT(pace.Sleep(now), WakePace::kInterval);
  EXPECT_GT(pace.Sleep(now), WakePace::kInterval);
}

TEST(WakePace, AfterAQuietTimeNothingIsDelayed) {
  WakePace pace;
  absl::Duration now = kStart;
  LoadFor(absl::Seconds(1), &pace, &now);
  now += (WakePace::kUndelayed + 1) * WakePace::kInterval;
  for (int i = 0; i < WakePace::kUndelayed; ++i) {
    EXPECT_EQ(pace.Sleep(now), absl::ZeroDuration()) << i;
  }
  EXPECT_EQ(pace.Sleep(now), WakePace::kInterval) << "the load begins again";
}

TEST(WakePace, TheFewerRequestsAreInFlightTheShorterTheirAnswersWait) {
  const auto wake_ups = [](size_t requests) {
    WakePace pace;
    absl::Duration now = kStart;
    LoadFor(absl::Seconds(1), &pace, &now, requests);
    return LoadFor(absl::Seconds(1), &pace, &now, requests);
  };
  EXPECT_NEAR(wake_ups(4), absl::Seconds(1) / WakePace::kInterval, 1);
  EXPECT_NEAR(wake_ups(32), absl::Seconds(1) / (32 * WakePace::kForEachRequest), 1);
  EXPECT_NEAR(wake_ups(256), absl::Seconds(1) / WakePace::kLongest, 1);
}

TEST(WakePace, AListIsReadWithoutADelayUnderLoad) {
  WakePace pace;
  absl::Duration now = kStart;
  LoadFor(absl::Seconds(1), &pace, &now);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pace.Sleep(now, {.all = 1, .reads = 1}), absl::ZeroDuration());
  }
  EXPECT_LE(pace.Sleep(now), WakePace::kLongest) << "the wake-ups of the list do not count";
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
