// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/hook_doubt.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

/// The number of answers, `pause` apart, until one must be checked; 0 if none of 1000 must.
int AnswersUntilCheck(HookDoubt* doubt, absl::Duration pause, bool cached = false) {
  absl::Duration now = absl::Hours(1);
  for (int n = 1; n <= 1000; ++n, now += pause) {
    if (doubt->OnAnswer(cached, now)) return n;
  }
  return 0;
}

TEST(HookDoubt, ChecksAnAnswerAfterManyInAShortTime) {
  HookDoubt doubt;
  EXPECT_EQ(AnswersUntilCheck(&doubt, absl::Milliseconds(1)), 21);
}

TEST(HookDoubt, ChecksNoAnswerOfAParentThatChangesNowAndThen) {
  HookDoubt doubt;
  EXPECT_EQ(AnswersUntilCheck(&doubt, absl::Seconds(2)), 0);
}

TEST(HookDoubt, ChecksNoAnswerFromTheCacheOfTheGateway) {
  HookDoubt doubt;
  EXPECT_EQ(AnswersUntilCheck(&doubt, absl::ZeroDuration(), /*cached=*/true), 0);
}

TEST(HookDoubt, ChecksOneOfTwentyAnswersOfABusyParent) {
  HookDoubt doubt;
  EXPECT_EQ(AnswersUntilCheck(&doubt, absl::ZeroDuration()), 21);
  doubt.OnCompared(/*same=*/true);
  EXPECT_EQ(AnswersUntilCheck(&doubt, absl::ZeroDuration()), 21);
}

TEST(HookDoubt, ChecksEveryAnswerAfterADifferenceUntilTwoAreTheSame) {
  HookDoubt doubt;
  doubt.OnCompared(/*same=*/false);
  EXPECT_TRUE(doubt.OnAnswer(false, absl::Hours(1)));
  EXPECT_TRUE(doubt.OnAnswer(true, absl::Hours(2)));
  doubt.OnCompared(/*same=*/true);
  EXPECT_FALSE(doubt.OnAnswer(false, absl::Hours(3)));
}

}  // namespace
}  // namespace xebec::watcher
