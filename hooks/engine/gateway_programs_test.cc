// SPDX-License-Identifier: Apache-2.0
// Which program of a hook has answered, while the hook is replaced.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/engine/gateway.h"
#include "hooks/engine/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

using ::testing::IsEmpty;
using Rig = testing::GatewayRig;

TEST(Gateway, AHookOverHttpIsDescribedRegularlyWhileADescribeCallWaits) {
  Rig rig;
  rig.UseHttp();
  rig.Poll(1, {}).Opened("v1");
  EXPECT_THAT(rig.After(absl::Seconds(15)).All<Open>(), IsEmpty()) << "nothing waits";
  rig.Poll(2, {true, "v1", ""});
  EXPECT_EQ(rig.After(absl::Seconds(1)).All<Open>().size(), 1u);
  rig.Opened("v2").After(absl::Seconds(15)).Opened("v2");
  EXPECT_EQ(rig.State().revision, "v2");
}

TEST(Gateway, AnAnswerIsOfTheProgramThatWasCalled) {
  Rig rig;
  rig.Poll(9, {true, "v1", ""}).Opened("v1").Sync(1).After(absl::Seconds(2));
  rig.Lost().Opened("v2").Answer("of v1");
  EXPECT_EQ(rig.Reply().revision, "v1");
  rig.Sync(2);
  EXPECT_EQ(rig.All<Send>().size(), 1u) << "the program v2 is called";
  rig.Answer("of v2");
  EXPECT_EQ(rig.Reply().revision, "v2");
}

TEST(Gateway, OverHttpANewProgramCountsOnceTwoDescriptionsNameIt) {
  Rig rig;
  rig.UseHttp();
  rig.Poll(9, {true, "v1", ""}).Opened("v1").Sync(1).Answer("of v1");
  rig.After(absl::Seconds(15)).Opened("v2");
  EXPECT_THAT(rig.All<SendReply>(), IsEmpty()) << "another process may still be v1";
  rig.Sync(2).Answer("of one of them");
  rig.Sync(3);
  EXPECT_EQ(rig.All<Send>().size(), 1u) << "no answer is kept";
  rig.Answer("of one of them").After(absl::Seconds(15)).Opened("v2");
  EXPECT_EQ(rig.State().revision, "v2");
  rig.Sync(4).Answer("of v2").Sync(5);
  EXPECT_TRUE(rig.Reply().cached);
}

TEST(Gateway, AFailedCallOverHttpDescribesTheHookAgain) {
  Rig rig;
  rig.UseHttp();
  rig.Sync(1).Opened("v1").After(absl::Seconds(2)).Fails(HookFailureCode::kUnavailable);
  EXPECT_EQ(rig.All<Open>().size(), 1u);
}

}  // namespace
}  // namespace xebec::gateway
