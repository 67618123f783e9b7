// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/hook_pace.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

const absl::Duration kNow = absl::Seconds(100);
const HookFailure kTimeout{HookFailureCode::kTimeout, "", {}};

TEST(HookPace, GrowsWithSuccessesAndHalvesWithFailures) {
  HookPace pace;
  EXPECT_TRUE(pace.Allows(7, kNow));
  EXPECT_FALSE(pace.Allows(8, kNow));
  for (int i = 0; i < 100; ++i) pace.OnSuccess();
  EXPECT_EQ(pace.limit(), 32u);
  pace.OnFailure(kTimeout, kNow, kNow);
  EXPECT_EQ(pace.limit(), 16u);
}

TEST(HookPace, OpensAfterFiveFailuresInARowAndProbesThen) {
  HookPace pace;
  for (int i = 0; i < 4; ++i) pace.OnFailure(kTimeout, kNow, kNow);
  EXPECT_FALSE(pace.open(kNow));
  pace.OnSuccess();
  for (int i = 0; i < 4; ++i) pace.OnFailure(kTimeout, kNow, kNow);
  EXPECT_FALSE(pace.open(kNow));
  pace.OnFailure(kTimeout, kNow, kNow);
  EXPECT_TRUE(pace.open(kNow));
  EXPECT_FALSE(pace.Allows(0, kNow));
  const absl::Duration later = pace.NextChange(kNow);
  EXPECT_GE(later, kNow + absl::Seconds(1));
  EXPECT_TRUE(pace.Allows(0, later));
  EXPECT_FALSE(pace.Allows(1, later)) << "one probe";
  pace.OnFailure(kTimeout, later, later);
  EXPECT_GE(pace.NextChange(later), later + absl::Seconds(2)) << "the pause grows";
  const absl::Duration last = pace.NextChange(later);
  pace.OnSuccess();
  EXPECT_TRUE(pace.Allows(1, last));
}

TEST(HookPace, AnAnswerThatIsAnErrorIsAnAnswer) {
  HookPace pace;
  for (int i = 0; i < 10; ++i) pace.OnFailure({HookFailureCode::kRejected, "", {}}, kNow, kNow);
  EXPECT_FALSE(pace.open(kNow));
}

TEST(HookPace, ProbesWhenTheHookIsAvailableAgain) {
  HookPace pace;
  for (int i = 0; i < 7; ++i) pace.OnFailure(kTimeout, kNow, kNow);
  EXPECT_TRUE(pace.open(kNow));
  pace.OnAvailable(kNow);
  EXPECT_TRUE(pace.Allows(0, kNow));
  EXPECT_FALSE(pace.Allows(1, kNow)) << "one probe";
  HookPace asked;
  asked.OnFailure({HookFailureCode::kThrottled, "", absl::Seconds(7)}, kNow, kNow);
  asked.OnAvailable(kNow);
  EXPECT_TRUE(asked.open(kNow)) << "the hook asked for this pause";
}

TEST(HookPace, CallsThatFailTogetherOpenItOnceAndAnAnswerClosesIt) {
  HookPace pace;
  for (int i = 0; i < 32; ++i) pace.OnFailure(kTimeout, kNow - absl::Seconds(10), kNow);
  EXPECT_TRUE(pace.open(kNow));
  EXPECT_LE(pace.NextChange(kNow), kNow + absl::Milliseconds(1250));
  pace.OnSuccess();
  EXPECT_TRUE(pace.Allows(0, kNow));
  EXPECT_FALSE(pace.failing());
}

TEST(HookPace, AnAnswerDoesNotEndAPauseThatTheHookAskedFor) {
  HookPace pace;
  pace.OnFailure({HookFailureCode::kThrottled, "", absl::Seconds(7)}, kNow, kNow);
  pace.OnSuccess();
  EXPECT_FALSE(pace.Allows(0, kNow));
}

TEST(HookPace, WaitsAsLongAsTheHookAsks) {
  HookPace pace;
  pace.OnFailure({HookFailureCode::kThrottled, "", absl::Seconds(7)}, kNow, kNow);
  EXPECT_EQ(pace.NextChange(kNow), kNow + absl::Seconds(7));
  EXPECT_TRUE(pace.Allows(1, kNow + absl::Seconds(7))) << "that is no failure";
}

}  // namespace
}  // namespace xebec::watcher
