// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/hook_health.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr ControllerId kWebs = 3;
const absl::Duration kNow = absl::Seconds(100);

HookReply Timeout() { return {.result = HookFailure{HookFailureCode::kTimeout, "", {}}}; }

TEST(HookHealth, AHookIsHealthyBeforeItsFirstCall) {
  const HookHealth health;
  EXPECT_TRUE(health.pace(kWebs).Allows(0, kNow));
  EXPECT_EQ(health.NextChange(kNow), absl::InfiniteDuration());
  EXPECT_EQ(health.FailureOf(kWebs), "");
}

TEST(HookHealth, FailuresPauseTheHookOfThatControllerOnly) {
  HookHealth health;
  for (int i = 0; i < 5; ++i) health.OnReply(kWebs, Timeout(), kNow, kNow);
  EXPECT_FALSE(health.pace(kWebs).Allows(0, kNow));
  EXPECT_TRUE(health.pace(kWebs - 1).Allows(0, kNow));
  EXPECT_TRUE(health.pace(kWebs + 1).Allows(0, kNow));
  EXPECT_GT(health.NextChange(kNow), kNow);
  EXPECT_LT(health.NextChange(kNow), absl::InfiniteDuration());
}

TEST(HookHealth, APauseEndsWhenTheHookIsAvailableOrAnswers) {
  HookHealth health;
  for (int i = 0; i < 5; ++i) health.OnReply(kWebs, Timeout(), kNow, kNow);
  health.OnAvailable(kWebs, kNow);
  EXPECT_TRUE(health.pace(kWebs).Allows(0, kNow));
  EXPECT_NE(health.FailureOf(kWebs), "") << "no call has succeeded yet";
  health.OnReply(kWebs, {.result = "response"}, kNow, kNow);
  EXPECT_EQ(health.FailureOf(kWebs), "");
}

TEST(HookHealth, ShowsAFailingParentAndThePause) {
  HookHealth health;
  health.OnFailure(kWebs, 7, "team-a/web: no image");
  EXPECT_EQ(health.FailureOf(kWebs), "team-a/web: no image");
  for (int i = 0; i < 5; ++i) health.OnReply(kWebs, Timeout(), kNow, kNow);
  EXPECT_EQ(health.FailureOf(kWebs),
            "Xebec pauses the calls of the hook because they fail; team-a/web: no image");
  EXPECT_EQ(health.FailureOf(kWebs, /*called=*/false), "team-a/web: no image");
  health.OnSuccess(kWebs, 7);
  EXPECT_EQ(health.FailureOf(kWebs), "Xebec pauses the calls of the hook because they fail");
}

}  // namespace
}  // namespace xebec::watcher
