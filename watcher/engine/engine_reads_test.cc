// SPDX-License-Identifier: Apache-2.0
// What is read live, and what of it counts.
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher::testing {
namespace {

class EngineReadsTest : public ::testing::Test {
 protected:
  /// An idle widget has changed, and its planner asks for live lists. The plan.
  Plan ChangeAndAskForLiveParts() {
    h_.StartWithWidget();
    h_.cluster.SetWidget("w", 1, 8);
    h_.Deliver();
    return h_.AskForLiveParts();
  }
  /// As ChangeAndAskForLiveParts, for the Events of the widget's part. The list that is sent.
  LiveList ChangeAndAskForEvents() {
    h_.StartWithWidget();
    h_.cluster.SetWidget("w", 1, 8);
    h_.Deliver();
    const SendObservation send = h_.TakeObservation();
    Plan ask = NothingFor(send);
    ask.event_reads = {{PartType(), "default", "w-0"}};
    h_.Feed(PlanArrived{send.sequence, ask});
    const std::vector<LiveList> lists = h_.Take<LiveList>();
    EXPECT_EQ(lists.size(), 1u);
    return lists.at(0);
  }
  void RefuseReadsFor(absl::Duration time) {
    for (const LiveList& list : h_.Take<LiveList>()) h_.Feed(LiveFailed{list.read, forbidden_});
    h_.Advance(time);
  }
  /// A plan for an observation, with nothing in it.
  static Plan NothingFor(const SendObservation& send) {
    Plan nothing;
    nothing.envelope = send.observation.envelope;
    return nothing;
  }

  const ApiFailure forbidden_{403, "Forbidden", "", std::nullopt};
  Harness h_;
};

TEST_F(EngineReadsTest, AGateThatStaysShutLeadsToLiveReadsIfSomebodyWaits) {
  h_.StartWithStalledParts();
  h_.Advance(absl::Minutes(1));
  EXPECT_TRUE(h_.Take<LiveList>().empty()) << "nobody wants to plan";
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  EXPECT_EQ(h_.Key("w").state, KeyState::kReading);
  h_.AnswerReads();
  const SendObservation send = h_.TakeObservation();
  EXPECT_EQ(send.observation.freshness, Freshness::kLive);
  EXPECT_EQ(send.observation.envelope.parent.generation, 2);
  EXPECT_EQ(send.observation.envelope.reasons, std::vector<std::string>{"spec changed"});
  ASSERT_EQ(send.observation.children[0].objects.size(), 1u);
  EXPECT_FALSE(send.observation.children[0].live) << "not all of the kind was read";
}

TEST_F(EngineReadsTest, AGateThatTimesOutReadsTheObjectsThatItWaitsForAndNoLists) {
  h_.StartWithStalledParts();
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.Advance(h_.options.gate_timeout);
  EXPECT_TRUE(h_.Take<LiveList>().empty());
  std::set<std::string> names;
  for (const LiveGet& get : h_.Take<LiveGet>()) {
    names.insert(get.ref.name);
    LiveArrived answer{get.read, {}};
    answer.objects.push_back(
        FakeCluster::Decode(*h_.cluster.Find(get.ref.type, {get.ref.ns, get.ref.name})));
    h_.Feed(std::move(answer));
  }
  EXPECT_EQ(names, (std::set<std::string>{"w", "w-0"}));
  EXPECT_EQ(h_.TakeObservation().observation.children[0].objects.size(), 1u);
}

TEST_F(EngineReadsTest, AnObjectThatALiveReadDidNotFindIsNotShown) {
  h_.StartWithStalledParts();
  h_.cluster.Delete(PartType(), "w-0");
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.Advance(h_.options.gate_timeout);
  h_.AnswerReads();
  EXPECT_TRUE(h_.TakeObservation().observation.children[0].objects.empty());
}

// The cache lags, as the version of the answer shows: nothing was lost that a list would bring.
TEST_F(EngineReadsTest, AnOwnDeletionThatTheWatchHasNotReachedIsNotListedFor) {
  h_.StartWithWidget();
  h_.cluster.SetWidget("w", 0, 7);
  h_.held = {"parts"};
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();
  h_.cluster.SetWidget("w", 0, 8);
  h_.Deliver();
  h_.Advance(h_.options.gate_timeout);
  EXPECT_EQ(h_.Key("w").state, KeyState::kReading);
  EXPECT_FALSE(h_.HasNote("Own write not seen"));
}

// The events that open the gate may wait in the host's queue behind the input of this step.
TEST_F(EngineReadsTest, AGateTimesOutOnlyAfterAllEarlierInputsWereHeard) {
  h_.StartWithStalledParts();
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.now.monotonic += h_.options.gate_timeout + absl::Seconds(1);
  h_.Feed(CreditsChanged{4, 4});
  h_.Feed(Tick{.heard = h_.now.monotonic - absl::Seconds(2)});
  EXPECT_TRUE(h_.Take<LiveList>().empty()) << "not all was heard";
  h_.held.clear();
  h_.Deliver();
  h_.Feed(Tick{});
  EXPECT_TRUE(h_.Take<LiveList>().empty());
  EXPECT_EQ(h_.TakeObservation().observation.freshness, Freshness::kCached);
}

// A role may allow lists and watches of a kind, and not get.
TEST_F(EngineReadsTest, AWriteInDoubtIsReadByAListWhenGetIsForbidden) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.AnswerObservation();
  const SendPlan send = h_.TakePlan();
  ApplyPlan(*send.plan, ApplierFault{}, &h_.cluster);
  h_.Feed(ReportLost{send.sequence});
  for (int i = 0; i < 40 && h_.Key("w").state != KeyState::kIdle; ++i) {
    h_.Advance(absl::Minutes(1));
    for (const LiveGet& get : h_.Take<LiveGet>()) h_.Feed(LiveFailed{get.read, forbidden_});
    h_.AnswerReads();
    h_.Deliver();
    h_.RunReconciles();
  }
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineReadsTest, EventsThatThePlannerRequestsAreShownToIt) {
  const LiveList list = ChangeAndAskForEvents();
  EXPECT_EQ(list.type, LiveReads::EventType());
  LiveArrived answer{list.read, {MakeObject("e", "ue", "5")}};
  h_.Feed(answer);
  const SendObservation send = h_.TakeObservation();
  ASSERT_TRUE(send.observation.events.has_value());
  ASSERT_EQ(send.observation.events->objects.size(), 1u);
  EXPECT_EQ(*send.observation.events->objects[0], *answer.objects[0].json);
  EXPECT_EQ(send.observation.freshness, Freshness::kCached);
  Plan ask = NothingFor(send);
  ask.event_reads = {{PartType(), "default", "w-0"}};
  h_.Feed(PlanArrived{send.sequence, ask});  // asks for what it has: no loop
  EXPECT_TRUE(h_.Take<LiveList>().empty());
  EXPECT_TRUE(h_.HasNote("Plan failed"));
}

TEST_F(EngineReadsTest, ThePlannerDecidesWithoutEventsThatCannotBeRead) {
  h_.Feed(LiveFailed{ChangeAndAskForEvents().read, forbidden_});
  EXPECT_TRUE(h_.HasNote("Live read failed"));
  const SendObservation send = h_.TakeObservation();
  ASSERT_TRUE(send.observation.events.has_value());
  EXPECT_TRUE(send.observation.events->objects.empty());
  h_.Feed(PlanArrived{send.sequence, NothingFor(send)});
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineReadsTest, AChangeDuringTheReadOfEventsIsReconciledAfterwards) {
  const LiveList list = ChangeAndAskForEvents();
  h_.cluster.SetWidget("w", 1, 9);
  h_.Deliver();
  h_.Feed(LiveArrived{list.read, {}});
  SendObservation send = h_.TakeObservation();
  EXPECT_EQ(send.observation.envelope.parent.generation, 3);
  h_.Feed(PlanArrived{send.sequence, NothingFor(send)});
  send = h_.TakeObservation();
  EXPECT_FALSE(send.observation.events.has_value()) << "they may be old";
}

TEST_F(EngineReadsTest, LiveListsAreReadAndShownAsLive) {
  Plan ask = ChangeAndAskForLiveParts();
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kReading);
  h_.AnswerReads();
  const SendObservation send = h_.TakeObservation();
  ASSERT_EQ(send.observation.children.size(), 1u);
  EXPECT_TRUE(send.observation.children[0].live);
  EXPECT_EQ(send.observation.children[0].objects.size(), 1u);
  ask.envelope = send.observation.envelope;
  h_.Feed(PlanArrived{send.sequence, ask});  // asks for what it has: no loop
  EXPECT_TRUE(h_.Take<LiveList>().empty());
  EXPECT_TRUE(h_.HasNote("Plan failed"));
}

// Each list contains the children of all parents.
TEST_F(EngineReadsTest, AFewParentsReadLiveListsAtOnce) {
  constexpr size_t kParents = 10;
  for (size_t i = 0; i < kParents; ++i) h_.cluster.SetWidget("w" + std::to_string(i), 1, 7);
  h_.Start();
  size_t read = 0;
  for (int i = 0; i < 100 && read < kParents; ++i) {
    while (!h_.observations.empty()) {
      const bool live = h_.observations.front().observation.children[0].live;
      live ? h_.AnswerObservation() : void(h_.AskForLiveParts());
    }
    const std::vector<LiveList> lists = h_.Take<LiveList>();
    EXPECT_LE(lists.size(), 4u);
    for (const LiveList& list : lists) {
      h_.Feed(LiveArrived{list.read, h_.cluster.List(PartType())});
    }
    read += lists.size();
  }
  EXPECT_EQ(read, kParents) << "each has its turn";
}

TEST_F(EngineReadsTest, AParentWhoseListsAreReadOrWaitForTheirTurnDoesNotDelayTheEnd) {
  for (int i = 0; i < 6; ++i) h_.cluster.SetWidget("w" + std::to_string(i), 1, 7);
  h_.Start();
  while (!h_.observations.empty()) h_.AskForLiveParts();
  ASSERT_EQ(h_.Take<LiveList>().size(), 4u);
  h_.Feed(Stop{});
  size_t reading = 0;
  for (const KeyView& key : h_.Keys()) reading += key.state == KeyState::kReading ? 1 : 0;
  EXPECT_EQ(reading, 0u);
}

// Found by test_the_api_server_restarted_under_load: the parent waited for ever for a child that
// had gone while the API server was busy answering.
TEST_F(EngineReadsTest, AChangeThatOvertakesALiveListIsPlannedAfterIt) {
  ChangeAndAskForLiveParts();
  const std::vector<LiveList> requests = h_.Take<LiveList>();
  ASSERT_EQ(requests.size(), 1u);
  LiveArrived slow{requests[0].read, h_.cluster.List(PartType())};
  h_.cluster.Delete(PartType(), "w-0");
  h_.Deliver();
  h_.Feed(std::move(slow));

  const SendObservation send = h_.TakeObservation();
  EXPECT_EQ(send.observation.children[0].objects.size(), 1u) << "as the list has it";
  h_.Feed(PlanArrived{send.sequence, NothingFor(send)});
  ASSERT_FALSE(h_.observations.empty()) << "the deletion is forgotten";
  EXPECT_TRUE(h_.TakeObservation().observation.children[0].objects.empty());
}

TEST_F(EngineReadsTest, WhatWasSeenBeforeALiveListIsNotPlannedTwice) {
  h_.StartWithWidget();
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.cluster.Delete(PartType(), "w-0");
  h_.Deliver();
  h_.AskForLiveParts();
  h_.AnswerReads();
  const SendObservation send = h_.TakeObservation();
  EXPECT_TRUE(send.observation.children[0].objects.empty());
  EXPECT_EQ(send.observation.envelope.reasons,
            std::vector<std::string>{"Part default/w-0 deleted"});
  h_.Feed(PlanArrived{send.sequence, NothingFor(send)});
  EXPECT_TRUE(h_.observations.empty());
}

TEST_F(EngineReadsTest, ALostReportIsWaitedOutAndThenReadLive) {
  h_.StartWithWidget();
  h_.cluster.SetWidget("w", 2, 8);
  h_.Deliver();
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  h_.Feed(ReportLost{plan.sequence});
  h_.Advance(h_.options.plan_life + h_.options.request_timeout);
  EXPECT_TRUE(h_.Take<LiveGet>().empty()) << "the clocks of two machines differ";
  EXPECT_TRUE(h_.observations.empty());
  h_.Advance(absl::Seconds(2));
  ApplyPlan(*plan.plan, {}, &h_.cluster);  // it had been carried out
  h_.AnswerReads();
  EXPECT_EQ(h_.Key("w").state, KeyState::kWaitingForCache);
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
  EXPECT_EQ(h_.cluster.All(PartType()).size(), 2u);
}

TEST_F(EngineReadsTest, AChildThatOvertakesALiveListKeepsTheFinalizer) {
  h_.cluster.SetWidget("w", 0, 7);
  h_.Start(LeavingWidgetDescription());
  h_.RunReconciles();
  h_.cluster.Delete(WidgetType(), "w");
  h_.Deliver();
  h_.AnswerObservation();
  const std::vector<LiveList> lists = h_.Take<LiveList>();
  ASSERT_EQ(lists.size(), 2u);
  for (const LiveList& list : lists) {
    if (list.type == ScrapType()) h_.Feed(LiveArrived{list.read, {}});
  }
  h_.cluster.AddScrap("w");
  h_.Deliver();
  for (const LiveList& list : lists) {
    if (list.type == PartType()) h_.Feed(LiveArrived{list.read, {}});
  }
  h_.AnswerObservation();
  if (!h_.plans.empty()) h_.AnswerPlan();
  EXPECT_TRUE(h_.cluster.wrongs.empty()) << h_.cluster.wrongs[0];
}

TEST_F(EngineReadsTest, AFullReadDoesNotAskForAKindThatMayNotBeRead) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(LeavingWidgetDescription());
  h_.RunReconciles();
  h_.Feed(WatchEnded{h_.StreamOf(ScrapType()), forbidden_});
  h_.held = {"parts"};
  h_.cluster.SetWidget("w", 65, 8);  // too many for reads of single objects
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();
  h_.Deliver();
  h_.cluster.SetWidget("w", 65, 9);
  h_.Deliver();
  h_.Advance(h_.options.gate_timeout);
  ASSERT_EQ(h_.Key("w").state, KeyState::kReading);
  std::set<std::string> read;
  for (const LiveList& list : h_.Take<LiveList>()) read.insert(list.type.plural);
  EXPECT_EQ(read, std::set<std::string>{"parts"});
}

TEST_F(EngineReadsTest, AParentMadeAgainDoesNotWaitForReadsOfTheOld) {
  ChangeAndAskForLiveParts();
  h_.cluster.Delete(WidgetType(), "w");
  h_.cluster.SetWidget("w", 1, 9);
  h_.Deliver();
  for (int i = 0; i < 3; ++i) {
    RefuseReadsFor(absl::Seconds(30));
  }
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(EngineReadsTest, ALiveListThatFailsIsAskedForInSmallerPages) {
  ChangeAndAskForLiveParts();
  const std::vector<LiveList> first = h_.Take<LiveList>();
  ASSERT_EQ(first.size(), 1u);
  h_.Feed(LiveFailed{first[0].read, ApiFailure{0, "", "the answer is too large", std::nullopt}});
  h_.Advance(absl::Seconds(2));
  const std::vector<LiveList> second = h_.Take<LiveList>();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].limit, first[0].limit / 2);
}

TEST_F(EngineReadsTest, ReadsThatKeepFailingAreGivenUpAndBeginAgain) {
  ChangeAndAskForLiveParts();
  for (int i = 0; i < 12 && h_.observations.empty(); ++i) {
    RefuseReadsFor(absl::Seconds(45));
  }
  EXPECT_FALSE(h_.observations.empty());
}

TEST_F(EngineReadsTest, WhatWasReadForAnEarlierPlannerIsNotShownToTheNext) {
  ChangeAndAskForLiveParts();
  h_.Feed(DescriptionArrived{WidgetDescription("r2")});
  h_.Deliver();
  ASSERT_EQ(h_.engine.Figures(h_.now).planner_revision, "r2");
  h_.AnswerReads();
  const SendObservation send = h_.TakeObservation();
  EXPECT_EQ(send.observation.envelope.planner_revision, "r2");
  EXPECT_FALSE(send.observation.children[0].live);
}

TEST_F(EngineReadsTest, AWatchThatStaysStalledIsListedAgainThoughNobodyIsInAHurry) {
  h_.StartWithStalledParts();
  ASSERT_EQ(h_.Key("w").state, KeyState::kWaitingForCache);
  const StreamId stalled = h_.StreamOf(PartType());
  h_.Advance(absl::Minutes(1) + h_.options.gate_timeout);
  h_.Deliver();
  EXPECT_NE(h_.StreamOf(PartType()), stalled);
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle)
      << ::testing::PrintToString(h_.Key("w").waiting_for);
}

}  // namespace
}  // namespace xebec::watcher::testing
