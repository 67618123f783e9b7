// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/dispatcher.h"

#include "absl/strings/str_cat.h"
#include "applier/engine/testing/dispatcher_rig.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum OutcomeCode;

TEST(Dispatcher, SecondPlanWithTheSameSequenceOnAStreamIsFenced) {
  DispatcherRig bench;
  bench.Submit(Numbered(3, {{CreateOp(ConfigMap("a"))}}));
  bench.Submit(Numbered(3, {{CreateOp(ConfigMap("b"))}}));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kFenced));
  EXPECT_EQ(bench.ended[0].report.outcomes[0].reason, "Sequence");
  bench.AnswerAll();
  EXPECT_EQ(bench.server.Get(PathOf("b")), nullptr);
}

TEST(Dispatcher, PlanWithoutUidIsRefused) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}, ""));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kRefused));
  EXPECT_THAT(bench.waiting, IsEmpty());
}

TEST(Dispatcher, PlansOfOneParentRunOneAfterTheOther) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  bench.Answer();  // the Lease
  ASSERT_EQ(bench.waiting.size(), 1u);
  EXPECT_TRUE(DispatcherRig::Creates(bench.waiting[0].request, "a"));
  bench.Answer();
  ASSERT_EQ(bench.waiting.size(), 1u);
  EXPECT_TRUE(DispatcherRig::Creates(bench.waiting[0].request, "b"));
  bench.AnswerAll();
  EXPECT_EQ(bench.ended.size(), 2u);
}

TEST(Dispatcher, PlansOfDifferentParentsRunAtOnce) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ChildOf("a", "p1"))}}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("b", "p2"))}}, "p2"));
  bench.Answer();
  EXPECT_EQ(bench.waiting.size(), 2u);
}

TEST(Dispatcher, EventsCanBeSwitchedOff) {
  DispatcherOptions options;
  options.policy.events = false;
  DispatcherRig bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  EXPECT_EQ(bench.paths.size(), 2u);
}

/// One plan has ended with two events; the request of another one is in flight.
DispatcherRig WithEventsBesideAPlan() {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a")), CreateOp(ConfigMap("b"))}}));
  while (bench.ended.empty()) bench.Answer();
  while (!bench.waiting.empty()) bench.Answer();
  bench.paths.clear();
  bench.Submit(
      Numbered(2, {{CreateOp(ChildOf("c", "other")), CreateOp(ChildOf("d", "other"))}}, "other"));
  bench.Submit(Numbered(3, {{CreateOp(ChildOf("e", "slow"))}}, "slow"));
  while (bench.ended.size() < 2) bench.Answer();
  return bench;
}

TEST(Dispatcher, EventsWaitWhileAPlanRuns) {
  DispatcherRig bench = WithEventsBesideAPlan();
  EXPECT_EQ(bench.dispatcher.waiting_events(), 2u);
  EXPECT_EQ(bench.waiting.size(), bench.dispatcher.budget().in_flight());
  bench.AnswerAll();
  EXPECT_EQ(bench.dispatcher.waiting_events(), 0u);
  EXPECT_THAT(bench.paths.back(), HasSubstr("/events"));
}

TEST(Dispatcher, OverdueEventsArePublishedOneAtATimeBesideAPlan) {
  DispatcherRig bench = WithEventsBesideAPlan();
  bench.Tick(EventQueue::kMaxWait + absl::Seconds(1));
  EXPECT_EQ(bench.dispatcher.waiting_events(), 1u);
}

TEST(Dispatcher, ClosedStreamStartsNothingMore) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("c"))}}));
  bench.Answer();  // the Lease; a is in flight
  bench.Take(bench.dispatcher.Close(1, bench.now));
  bench.AnswerAll();
  EXPECT_NE(bench.server.Get(PathOf("a")), nullptr);
  EXPECT_EQ(bench.server.Get(PathOf("b")), nullptr);
  EXPECT_EQ(bench.server.Get(PathOf("c")), nullptr);
  EXPECT_EQ(bench.dispatcher.plans(), 0u);
}

TEST(Dispatcher, PlanThatArrivesAfterTheEndOfItsStreamIsNotStarted) {
  DispatcherRig bench;
  bench.Take(bench.dispatcher.Close(1, bench.now));
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  EXPECT_EQ(bench.dispatcher.plans(), 0u);
  bench.AnswerAll();
  EXPECT_EQ(bench.server.Get(PathOf("a")), nullptr);
  ASSERT_EQ(bench.ended.size(), 1u);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  EXPECT_EQ(bench.ended[0].report.outcomes[0].reason, "StreamEnded");
}

TEST(Dispatcher, DrainingAppliersSendNewPlansBackAndFinishTheOthers) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}));
  bench.dispatcher.Drain();
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("c"))}}));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated, kCreated));
}

TEST(Dispatcher, AbortAllReportsWhatWasNotStarted) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("c"))}}));
  bench.Answer();
  bench.Take(bench.dispatcher.AbortAll(bench.now));
  bench.AnswerAll();
  ASSERT_EQ(bench.ended.size(), 2u);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated, kNotStarted));
  EXPECT_EQ(bench.dispatcher.plans(), 0u);
}

TEST(Dispatcher, AfterAbortAllNoEventIsSent) {
  DispatcherRig bench = WithTwoParentsAndOneRequestAtATime();
  while (bench.ended.size() < 2) bench.Answer();
  bench.Take(bench.dispatcher.AbortAll(bench.now));
  ASSERT_EQ(bench.waiting.size(), 1u) << "the event that is in flight";
  bench.Answer();
  EXPECT_TRUE(bench.dispatcher.Idle());
  EXPECT_EQ(bench.dispatcher.waiting_events(), 0u);
  EXPECT_GT(bench.dispatcher.dropped_events(), 0u);
}

TEST(Dispatcher, StreamsAreGrantedCreditsWithinTheProcessLimit) {
  DispatcherOptions options;
  options.credits_per_stream = 4;
  options.credits_total = 6;
  DispatcherRig bench(options);
  bench.Take(bench.dispatcher.Open(2));
  bench.Take(bench.dispatcher.Open(3));
  EXPECT_EQ(bench.credits[1], 4u);
  EXPECT_EQ(bench.credits[2], 2u);
  EXPECT_EQ(bench.credits[3], 1u) << "every stream can have one plan at least";
  bench.Take(bench.dispatcher.Close(1, bench.now));
  EXPECT_EQ(bench.credits[2] + bench.credits[3], 6u);
}

TEST(Dispatcher, AStreamThatBecomesIdleKeepsTheCreditsThatItBeganWith) {
  DispatcherOptions options;
  options.credits_total = StreamCredits::kFirst + 1;
  DispatcherRig bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  EXPECT_EQ(bench.credits[1], StreamCredits::kFirst + 1);
  bench.AnswerAll();
  EXPECT_TRUE(bench.ended[0].returns_credit);
  EXPECT_FALSE(bench.ended[1].returns_credit);
}

TEST(Dispatcher, CopyOfItContinuesIndependently) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  DispatcherRig copy = bench;
  bench.AnswerAll();
  EXPECT_EQ(copy.ended.size(), 0u);
  copy.AnswerAll();
  EXPECT_EQ(copy.ended.size(), 1u);
  EXPECT_EQ(copy.ended[0].report, bench.ended[0].report);
}

}  // namespace
}  // namespace xebec::applier
