// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/gateway.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/engine/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Rig = testing::GatewayRig;

TEST(Gateway, DescribesAHookBeforeItsFirstCall) {
  Rig rig;
  rig.Sync(1);
  ASSERT_EQ(rig.All<Open>().size(), 1u);
  EXPECT_EQ(rig.out().size(), 1u);
  rig.Sync(2, "r2", "d2");
  EXPECT_THAT(rig.out(), IsEmpty());
  rig.Opened("v1");
  ASSERT_EQ(rig.All<Send>().size(), 2u);
  EXPECT_EQ(rig.All<Send>()[0].request, "r");
  rig.Answer("yes");
  EXPECT_EQ(rig.Reply(), (HookReply{std::string("yes"), "v1", false}));
}

TEST(Gateway, IgnoresTheEndOfAConnectionThatIsNotTheLatest) {
  Rig rig;
  rig.Sync(1);
  const HookDescription description{"v0", "", false};
  EXPECT_THAT(rig.gateway().Opened(rig.now(), 1, 99, description), IsEmpty());
  EXPECT_THAT(rig.gateway().Lost(rig.now(), 1, 99), IsEmpty());
  EXPECT_THAT(rig.gateway().Opened(rig.now(), 99, 1, description), IsEmpty());
  EXPECT_EQ(rig.Opened("v1").All<Send>().size(), 1u);
  EXPECT_THAT(rig.gateway().Lost(rig.now(), 1, 99), IsEmpty());
  EXPECT_EQ(rig.Sync(2, "r2", "d2").All<Send>().size(), 1u);
}

TEST(Gateway, AnswersAnEqualRequestFromTheCacheUntilTheRevisionChanges) {
  Rig rig;
  rig.Sync(1).Opened("v1").Answer("yes");
  rig.Sync(2);
  EXPECT_EQ(rig.Reply(), (HookReply{std::string("yes"), "v1", true}));
  rig.Sync(3, "other", "e");
  EXPECT_EQ(rig.All<Send>().size(), 1u);
  rig.Answer("no").After(absl::Seconds(2)).Lost();
  rig.Sync(4);
  ASSERT_EQ(rig.All<Open>().size(), 1u);
  EXPECT_THAT(rig.All<SendReply>(), IsEmpty());
  rig.Opened("v1");
  EXPECT_TRUE(rig.Reply().cached);
  rig.After(absl::Seconds(2)).Lost().Sync(5).Opened("v2");
  EXPECT_EQ(rig.All<Send>().size(), 1u);
  EXPECT_EQ(rig.gateway().figures().cache_bytes, 0u);
}

TEST(Gateway, ACallThatTheHookItselfMustAnswerDropsTheKnownAnswer) {
  Rig rig;
  rig.Sync(1).Opened("v1").Answer("one");
  EXPECT_EQ(rig.SyncAgain(2).All<Send>().size(), 1u) << "the hook is called";
  rig.Answer("two");
  EXPECT_EQ(rig.Reply(), (HookReply{std::string("two"), "v1", false}));
  EXPECT_EQ(rig.Sync(3).All<Send>().size(), 1u) << "neither answer is kept";
  rig.Answer("three").Sync(4);
  EXPECT_EQ(rig.Reply(), (HookReply{std::string("three"), "v1", true}));
}

TEST(Gateway, KeepsNoErrorsNoFailuresAndNothingWithoutDigest) {
  Rig rig;
  rig.Sync(1).Opened("v1").Answer("cannot", true);
  EXPECT_TRUE(rig.All<SendReply>()[0].error);
  EXPECT_EQ(rig.Sync(2).All<Send>().size(), 1u);
  rig.Fails(HookFailureCode::kRejected);
  EXPECT_EQ(rig.Sync(3, "r", "").All<Send>().size(), 1u);
  rig.Answer("yes");
  EXPECT_EQ(rig.Sync(4, "r", "").All<Send>().size(), 1u);
}

TEST(Gateway, ADescribeCallWaitsUntilTheStateDiffersFromTheKnownOne) {
  Rig rig;
  rig.Poll(1, {});
  ASSERT_EQ(rig.All<Open>().size(), 1u);
  EXPECT_THAT(rig.All<SendReply>(), IsEmpty());
  rig.Opened("v1");
  EXPECT_EQ(rig.State(), (HookState{true, "v1", ""}));
  rig.Poll(2, {true, "v1", ""});
  EXPECT_THAT(rig.out(), IsEmpty());
  rig.After(absl::Minutes(1));
  EXPECT_EQ(rig.State(), (HookState{true, "v1", ""})) << "after its timeout";
  rig.Poll(3, {true, "v0", ""});
  EXPECT_EQ(rig.State().revision, "v1") << "at once";
}

TEST(Gateway, AReconnectedHookIsDescribedAgainAndItsNewRevisionIsPushed) {
  Rig rig;
  rig.Poll(1, {}).Opened("v1").Poll(2, {true, "v1", ""}).After(absl::Seconds(5));
  rig.Lost();
  ASSERT_EQ(rig.All<Open>().size(), 1u);
  EXPECT_THAT(rig.All<SendReply>(), IsEmpty()) << "a hook may close old connections";
  rig.Opened("v2");
  EXPECT_EQ(rig.State(), (HookState{true, "v2", ""}));
}

TEST(Gateway, AHookThatIsGoneIsTriedAgainWithBackoffWhileADescribeCallWaits) {
  Rig rig;
  rig.Poll(1, {}).OpenFails();
  EXPECT_EQ(rig.State(), (HookState{false, "", "down"}));
  rig.Poll(2, {false, "", "down"});
  EXPECT_THAT(rig.out(), IsEmpty());
  EXPECT_EQ(rig.gateway().due() - rig.now(), absl::Milliseconds(500));
  for (const int ms : {500, 1000, 2000, 4000, 8000, 10000, 10000}) {
    rig.After(absl::Milliseconds(ms - 1));
    EXPECT_THAT(rig.All<Open>(), IsEmpty()) << ms;
    rig.After(absl::Milliseconds(1));
    ASSERT_EQ(rig.All<Open>().size(), 1u) << ms;
    rig.OpenFails();
  }
  rig.After(absl::Seconds(10)).Opened("v1");
  EXPECT_EQ(rig.State(), (HookState{true, "v1", ""}));
}

TEST(Gateway, CallsOfAHookThatIsGoneFailAtOnce) {
  Rig rig;
  rig.Sync(1).Sync(2).OpenFails(HookFailureCode::kForbidden);
  EXPECT_EQ(rig.All<SendReply>().size(), 2u);
  rig.Sync(3);
  EXPECT_EQ(rig.Failure(), (HookFailure{HookFailureCode::kForbidden, "down", {}}));
  EXPECT_THAT(rig.All<Open>(), IsEmpty());
  rig.After(absl::Seconds(1));
  EXPECT_THAT(rig.All<Open>(), IsEmpty()) << "nothing waits for it";
  EXPECT_EQ(rig.Sync(4).All<Open>().size(), 1u);
}

TEST(Gateway, AHookThatClosesEachConnectionIsNotCalledInALoop) {
  Rig rig;
  rig.Poll(1, {}).Opened("v1").Poll(2, {true, "v1", ""});
  rig.Lost();
  EXPECT_THAT(rig.All<Open>(), IsEmpty());
  EXPECT_EQ(rig.gateway().due() - rig.now(), absl::Seconds(1));
  EXPECT_EQ(rig.After(absl::Seconds(1)).All<Open>().size(), 1u);
}

TEST(Gateway, LimitsTheCallsInFlightAndThoseThatWait) {
  Limits limits;
  limits.concurrency = 2;
  limits.waiting = 2;
  Rig rig(limits);
  rig.Sync(1, "r", "").Opened("v1").Sync(2, "r", "");
  EXPECT_EQ(rig.All<Send>().size(), 1u);
  rig.Sync(3, "r", "").Sync(4, "r", "");
  EXPECT_THAT(rig.out(), IsEmpty());
  rig.Sync(5, "r", "");
  EXPECT_EQ(rig.Failure().code, HookFailureCode::kThrottled);
  EXPECT_EQ(rig.Failure().retry_after, absl::Seconds(1));
  rig.Answer("yes");
  ASSERT_EQ(rig.All<Send>().size(), 1u);
  EXPECT_EQ(rig.gateway().figures().waiting, 1u);
  EXPECT_EQ(rig.gateway().figures().in_flight, 2u);
}

TEST(Gateway, LimitsTheBytesThatWait) {
  Limits limits;
  limits.waiting_bytes = 100;
  Rig rig(limits);
  rig.Sync(1, std::string(80, 'x')).Sync(2, std::string(30, 'x'));
  EXPECT_EQ(rig.Failure().code, HookFailureCode::kThrottled);
  rig.Opened("v1");
  EXPECT_EQ(rig.Sync(3, std::string(30, 'x'), "").All<Send>().size(), 1u);
}

TEST(Gateway, ACallThatWaitsCountsTheWaitInItsTimeout) {
  Limits limits;
  limits.concurrency = 1;
  Rig rig(limits);
  rig.Sync(1, "r", "", absl::Seconds(60)).Opened("v1").Sync(2, "r", "", absl::Seconds(10));
  rig.After(absl::Seconds(4)).Answer("yes");
  ASSERT_EQ(rig.All<Send>().size(), 1u);
  EXPECT_EQ(rig.All<Send>()[0].timeout, absl::Seconds(6));
  rig.Sync(3, "r", "", absl::Seconds(1)).After(absl::Seconds(1));
  EXPECT_EQ(rig.Failure().code, HookFailureCode::kTimeout);
  EXPECT_THAT(rig.Failure().message, HasSubstr("1 calls were in flight"));
}

TEST(Gateway, ATimeoutNamesTheWholeTimeEvenIfTheCallWaited) {
  Rig rig;
  rig.Sync(1).After(absl::Seconds(4)).Opened("v1");
  rig.Fails(HookFailureCode::kTimeout);
  EXPECT_THAT(rig.Failure().message, HasSubstr("within 10s"));
}

TEST(Gateway, DropsAnAnswerAfterTheTimeout) {
  Rig rig;
  rig.Sync(1).Opened("v1").After(absl::Seconds(10));
  EXPECT_EQ(rig.Failure().code, HookFailureCode::kTimeout);
  EXPECT_EQ(rig.All<CancelSend>().size(), 1u);
  EXPECT_THAT(rig.Answer("late").out(), IsEmpty());
  EXPECT_EQ(rig.Sync(2).All<Send>().size(), 1u) << "the late answer is not in the cache";
}

TEST(Gateway, DescribesAHookAgainThatAnswersNothing) {
  Rig rig;
  rig.Sync(1).Opened("v1").Sync(2).Sync(3);
  rig.After(absl::Seconds(10));
  EXPECT_EQ(rig.All<SendReply>().size(), 3u);
  ASSERT_EQ(rig.All<Open>().size(), 1u);
  EXPECT_EQ(rig.Sync(4).All<Send>().size(), 1u) << "the connection is still in use";
  rig.OpenFails(HookFailureCode::kTimeout);
  EXPECT_EQ(rig.Sync(5).Failure().code, HookFailureCode::kTimeout);
}

TEST(Gateway, ForgetsTheCallsOfAStreamThatEnded) {
  Limits limits;
  limits.concurrency = 1;
  Rig rig(limits);
  rig.Sync(1).Opened("v1").Sync(2, "r2", "d2").Poll(3, {true, "v1", ""});
  rig.StreamEnds();
  EXPECT_EQ(rig.All<CancelSend>().size(), 1u);
  EXPECT_THAT(rig.All<SendReply>(), IsEmpty());
  EXPECT_THAT(rig.After(absl::Minutes(2)).out(), IsEmpty());
  EXPECT_EQ(rig.gateway().figures().in_flight, 0u);
  EXPECT_EQ(rig.gateway().figures().waiting, 0u);
}

TEST(Gateway, ClosesAHookThatNobodyCalls) {
  Rig rig;
  rig.Sync(1).Opened("v1").Answer("yes");
  EXPECT_EQ(rig.gateway().due() - rig.now(), absl::Minutes(10));
  rig.After(absl::Minutes(10));
  EXPECT_EQ(rig.All<Close>().size(), 1u);
  EXPECT_EQ(rig.gateway().figures().hooks, 0u);
  EXPECT_EQ(rig.gateway().figures().cache_bytes, 0u);
  EXPECT_EQ(rig.gateway().due(), absl::InfiniteDuration());
}

TEST(Gateway, OneHookDoesNotHoldUpAnother) {
  Limits limits;
  limits.concurrency = 1;
  Rig rig(limits);
  rig.Sync(1).Opened("v1").Sync(2, "r2", "d2");
  Outputs out = rig.gateway().Call(rig.now(), {1, 3}, rig.To("other"), "");
  ASSERT_EQ(out.size(), 1u);
  const Open& open = std::get<Open>(out[0]);
  EXPECT_EQ(open.operator_name, "other");
  out = rig.gateway().Opened(rig.now(), open.hook, open.connection, HookDescription{"w1", "", {}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Send>(out[0]));
}

TEST(Gateway, AHookThatNoCallUsesMakesRoomForAnother) {
  Limits limits;
  limits.hooks = 1;
  Rig rig(limits);
  rig.Sync(1).Opened("v1").Answer("yes");
  const Outputs out = rig.gateway().Call(rig.now(), {1, 2}, rig.To("other"), "");
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(std::get<Close>(out[0]).operator_name, "op");
  EXPECT_EQ(std::get<Open>(out[1]).operator_name, "other");
  EXPECT_EQ(rig.gateway().figures().hooks, 1u);
}

TEST(Gateway, ServesALimitedNumberOfHooks) {
  Limits limits;
  limits.hooks = 1;
  Rig rig(limits);
  rig.Sync(1);
  const Outputs out = rig.gateway().Call(rig.now(), {1, 2}, rig.To("other"), "");
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<HookFailure>(std::get<SendReply>(out[0]).reply.result));
}

}  // namespace
}  // namespace xebec::gateway
