// SPDX-License-Identifier: Apache-2.0
// What outcomes lead to: back-off, wanted names, quiet, budgets, limits.
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher::testing {
namespace {

class EngineOutcomeTest : public ::testing::Test {
 protected:
  /// One widget whose plan for one part has been sent.
  SendPlan StartWithPlan() {
    h_.cluster.SetWidget("w", 1, 7);
    h_.Start();
    h_.AnswerObservation();
    return h_.TakePlan();
  }
  /// Answers a plan: every operation with `code`, the status as unchanged.
  void Reject(const SendPlan& send, OutcomeCode code,
              std::optional<absl::Duration> retry_after = {}, uint64_t highest_epoch = 0) {
    Report report;
    report.envelope = send.plan->envelope;
    report.retry_after = retry_after;
    report.highest_epoch = highest_epoch;
    for (const Stage& stage : send.plan->stages) {
      for (const Operation& operation : stage.operations) {
        Outcome outcome;
        outcome.operation = operation.id;
        outcome.target = operation.target;
        outcome.code = code;
        outcome.certainty = Certainty::kRejected;
        report.outcomes.push_back(outcome);
      }
    }
    Outcome status;
    status.operation = std::string(kStatusOperation);
    status.code = OutcomeCode::kUnchanged;
    status.certainty = Certainty::kDone;
    report.outcomes.push_back(status);
    h_.Feed(ReportArrived{send.sequence, report});
  }
  SendPlan NextPlan() {
    h_.AnswerObservation();
    return h_.TakePlan();
  }
  /// Answers an observation with a plan for parts in this namespace.
  SendPlan NextPlanFor(const std::string& ns) {
    const SendObservation send = h_.TakeObservation();
    Plan plan = MakeWidgetPlan(send.observation);
    for (Operation& operation : plan.stages.at(0).operations) {
      operation.target.ns = ns;
      operation.id = OperationId(operation.action, operation.target);
    }
    h_.Feed(PlanArrived{send.sequence, plan});
    return h_.TakePlan();
  }
  absl::Duration Wait() const { return h_.engine.NextDeadline() - h_.now.monotonic; }

  Harness h_;
};

TEST_F(EngineOutcomeTest, AReportThatArrivedIsNotLostIfTheApiServerDidNotAnswer) {
  const SendPlan send = StartWithPlan();
  Report report = UnknownReport(*send.plan);
  report.outcomes.back().certainty = Certainty::kDone;
  h_.Feed(ReportArrived{send.sequence, report});
  const ControllerFigures figures = h_.engine.Figures(h_.now).controllers.at(0);
  EXPECT_EQ(figures.unknown_reports, 0u);
  EXPECT_EQ(figures.timeouts, 0u);
}

TEST_F(EngineOutcomeTest, AReportThatDoesNotArriveIsCounted) {
  StartWithPlan();
  h_.Advance(absl::Minutes(1));
  const ControllerFigures figures = h_.engine.Figures(h_.now).controllers.at(0);
  EXPECT_EQ(figures.unknown_reports, 1u);
  EXPECT_EQ(figures.timeouts, 1u);
}

TEST_F(EngineOutcomeTest, APlanThatWaitedLongerThanAPlanLivesIsMadeAgainFromWhatHasChanged) {
  h_.cluster.SetWidget("w", 2, 7);
  h_.Start();
  h_.RunReconciles();
  h_.Feed(CreditsChanged{4, 0});  // the appliers are away
  h_.cluster.SetWidget("w", 2, 8);
  h_.Deliver();
  h_.AnswerObservation();
  h_.cluster.ForeignPart("w-0", 9);
  h_.Deliver();
  h_.Advance(h_.options.plan_life + absl::Seconds(1));
  h_.Feed(CreditsChanged{4, 4});
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.observations.size(), 1u);
}

TEST_F(EngineOutcomeTest, APlanThatWaitedLongIsCarriedOutWhereNothingHasChanged) {
  h_.cluster.SetWidget("w", 2, 7);
  h_.Start();
  h_.RunReconciles();
  h_.Feed(CreditsChanged{4, 0});
  h_.cluster.SetWidget("w", 2, 8);
  h_.Deliver();
  h_.AnswerObservation();
  h_.Advance(h_.options.plan_life + absl::Seconds(1));
  h_.Feed(CreditsChanged{4, 4});
  EXPECT_EQ(h_.plans.size(), 1u);
}

TEST_F(EngineOutcomeTest, WithoutElectionTheEpochRisesToWhatAnOldLeaseSays) {
  Reject(StartWithPlan(), OutcomeCode::kFenced, {}, /*highest_epoch=*/5);
  h_.Advance(Wait());
  EXPECT_GE(NextPlan().plan->envelope.epoch, 5u);
}

TEST_F(EngineOutcomeTest, EnginesThatKnowOfDifferentEpochsDiffer) {
  const SendPlan send = StartWithPlan();
  const Harness before = h_;
  Reject(send, OutcomeCode::kFenced, {}, /*highest_epoch=*/5);
  const Harness higher = h_;
  h_ = before;
  Reject(send, OutcomeCode::kFenced, {}, /*highest_epoch=*/1);
  EXPECT_FALSE(h_.engine == higher.engine);
}

TEST_F(EngineOutcomeTest, ARejectionIsShownToThePlannerAtOnceAndThenBacksOff) {
  Reject(StartWithPlan(), OutcomeCode::kInvalid);
  ASSERT_EQ(h_.observations.size(), 1u);
  ASSERT_EQ(h_.observations[0].observation.last_outcomes.size(), 1u);
  EXPECT_EQ(h_.observations[0].observation.last_outcomes[0].code, OutcomeCode::kInvalid);
  absl::Duration last;
  for (uint32_t n = 1; n <= 5; ++n) {
    Reject(NextPlan(), OutcomeCode::kInvalid);
    EXPECT_TRUE(h_.observations.empty());
    EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
    EXPECT_EQ(h_.Key("w").failures, n);
    EXPECT_GT(Wait(), last);
    last = Wait();
    h_.Advance(last);
  }
}

TEST_F(EngineOutcomeTest, AUsersChangeDoesNotWaitForTheBackOff) {
  Reject(StartWithPlan(), OutcomeCode::kInvalid);
  Reject(NextPlan(), OutcomeCode::kInvalid);
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  EXPECT_EQ(h_.observations.size(), 1u);
}

TEST_F(EngineOutcomeTest, TheServersRetryAfterIsRespectedEvenByUsers) {
  Reject(StartWithPlan(), OutcomeCode::kThrottled, absl::Seconds(7));
  EXPECT_TRUE(h_.observations.empty()) << "trying at once would add to the failure";
  h_.cluster.SetWidget("w", 1, 8);
  h_.Deliver();
  h_.Advance(absl::Milliseconds(6900));
  EXPECT_TRUE(h_.observations.empty());
  h_.Advance(absl::Milliseconds(200));
  EXPECT_EQ(h_.observations.size(), 1u);
}

TEST_F(EngineOutcomeTest, StaleIsPlannedAgainAtOnceButNotForEver) {
  SendPlan plan = StartWithPlan();
  for (int i = 0; i < 3; ++i) {
    Reject(plan, OutcomeCode::kStale);
    ASSERT_EQ(h_.observations.size(), 1u) << i;
    plan = NextPlan();
  }
  Reject(plan, OutcomeCode::kStale);
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
}

TEST_F(EngineOutcomeTest, AWantedNameIsTriedAfterOneSecondDoublingToAMinute) {
  Reject(StartWithPlan(), OutcomeCode::kNameConflict);
  Reject(NextPlan(), OutcomeCode::kNameConflict);  // the planner has seen it
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_TRUE(h_.observations.empty());
    EXPECT_EQ(Wait(), absl::Seconds(seconds));
    EXPECT_EQ(h_.Key("w").waiting_for, std::vector<std::string>{"the name of Part default/w-0"});
    h_.Advance(absl::Seconds(seconds));
    Reject(NextPlan(), OutcomeCode::kNameConflict);
  }
}

// A promise: whoever is made again at once is as promised within 5 s of the names being free.
TEST_F(EngineOutcomeTest, AFreedNameWakesItsKeyAtOnceHoweverLongAndThoughTheHolderIsNobodysHere) {
  for (const auto longest : {absl::Seconds(1), absl::Minutes(1)}) {
    Harness h;
    h.cluster.ForeignPart("w-0", 1);
    h.cluster.SetWidget("w", 1, 7);
    h.Start();
    h.RunReconciles();
    const auto wait = [&h] { return h.engine.NextDeadline() - h.now.monotonic; };
    while (wait() < longest) {
      h.Advance(wait());
      h.RunReconciles();
    }
    EXPECT_EQ(h.Key("w").state, KeyState::kDelayed);
    h.cluster.Delete(PartType(), "w-0");
    h.Deliver();
    EXPECT_EQ(h.observations.size(), 1u) << longest;
    h.RunReconciles();
    EXPECT_EQ(h.Key("w").state, KeyState::kIdle);
  }
}

TEST_F(EngineOutcomeTest, AHolderThatChangesAllTheTimeMakesNoHotLoop) {
  h_.cluster.ForeignPart("w-0", 0);
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  int planned = 0;
  for (int i = 1; i < 100; ++i) {
    h_.cluster.ForeignPart("w-0", i % 5);
    h_.Deliver();
    planned += static_cast<int>(h_.observations.size());
    h_.RunReconciles();
    h_.Advance(absl::Milliseconds(100));
  }
  EXPECT_LE(planned, 12);
}

TEST_F(EngineOutcomeTest, ANamespaceThatIsGoingLeavesTheKeyQuiet) {
  Reject(StartWithPlan(), OutcomeCode::kNamespaceTerminating);
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_GE(Wait(), absl::Seconds(30));
  EXPECT_EQ(h_.Key("w").failures, 0u);
  h_.cluster.Delete(WidgetType(), "w");
  h_.Deliver();
  EXPECT_TRUE(h_.Keys().empty());
  EXPECT_EQ(h_.engine.NextDeadline(), absl::InfiniteDuration()) << "no retry is left over";
}

TEST_F(EngineOutcomeTest, AMissingNamespaceOfAChildOfAClusterScopedParentIsTriedWithBackOff) {
  PlannerDescription description = WidgetDescription();
  description.kinds[0].parent.cluster_scoped = true;
  h_.cluster.SetWidget("w", 1, 7, "");
  h_.Start(description);
  Reject(NextPlanFor("late"), OutcomeCode::kNamespaceTerminating);
  ASSERT_EQ(h_.observations.size(), 1u) << "the planner shows it";
  absl::Duration last;
  for (uint32_t n = 1; n <= 5; ++n) {
    Reject(NextPlanFor("late"), OutcomeCode::kNamespaceTerminating);
    EXPECT_TRUE(h_.observations.empty());
    EXPECT_EQ(h_.Key("w", "").failures, n);
    EXPECT_GT(Wait(), last);
    last = Wait();
    h_.Advance(last);
    ASSERT_EQ(h_.observations.size(), 1u);
  }
}

TEST_F(EngineOutcomeTest, AParentThatGoesWithItsNamespaceIsWokenByEachOfItsChildren) {
  h_.cluster.makes_scraps = true;
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(LeavingWidgetDescription());
  h_.RunReconciles();
  h_.cluster.CollectGarbage();  // the part makes its scrap
  h_.Deliver();
  h_.RunReconciles();
  h_.cluster.SetWidget("w", 2, 7);
  h_.Deliver();
  Reject(NextPlan(), OutcomeCode::kNamespaceTerminating);
  h_.cluster.Delete(WidgetType(), "w");
  h_.Deliver();
  h_.RunReconciles();
  while (h_.cluster.CollectGarbage()) h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Take<LiveList>().size(), 2U) << "the finalizer is next, without a pause";
}

TEST_F(EngineOutcomeTest, AChildThatOnlyALiveListShowedIsLookedForByAListBeforeTheKeyIsIdle) {
  h_.cluster.SetWidget("w", 0, 7);
  h_.Start(LeavingWidgetDescription());
  h_.RunReconciles();
  h_.held = {"scraps"};  // and then they are lost
  h_.cluster.AddScrap("w");
  h_.cluster.Delete(WidgetType(), "w");
  h_.Deliver();
  h_.RunReconciles();
  h_.AnswerReads();
  h_.RunReconciles();  // deletes what the live list showed
  h_.Feed(EventsArrived{h_.StreamOf(ScrapType()), {Bookmark(h_.cluster.version())}});
  EXPECT_TRUE(h_.HasNote("Own write not seen"));
}

TEST_F(EngineOutcomeTest, APlannerThatFailsIsAskedAgainWithBackOff) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  absl::Duration last;
  for (int i = 0; i < 5; ++i) {
    h_.Feed(PlanFailed{h_.TakeObservation().sequence, "the stream broke", false});
    EXPECT_GT(Wait(), last);
    last = Wait();
    h_.Advance(last);
  }
}

TEST_F(EngineOutcomeTest, AnAnswerThatNeverComesIsGivenUp) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.TakeObservation();
  h_.Advance(absl::Minutes(1));
  ASSERT_FALSE(h_.observations.empty());
  while (h_.observations.size() > 1) h_.observations.pop_front();
  h_.AnswerObservation();
  h_.TakePlan();
  h_.Advance(absl::Minutes(2));
  EXPECT_FALSE(h_.Take<LiveGet>().empty()) << "as if its report were lost";
}

TEST_F(EngineOutcomeTest, AnUnreadablePlanIsNotStartedAndBacksOff) {
  const SendPlan plan = StartWithPlan();
  h_.Feed(PlanUnreadable{plan.sequence, "plan.stages[0]: ..."});
  EXPECT_TRUE(h_.HasNote("Plan unreadable"));
  EXPECT_TRUE(h_.observations.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
}

TEST_F(EngineOutcomeTest, SomebodyWhoWritesAgainstUsAgainAndAgainSlowsUsDown) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  const uint64_t before = h_.cluster.writes();
  for (int i = 0; i < 1000; ++i) {
    h_.cluster.SpoilPart("w-0", 1000 + i);
    h_.Deliver();
    h_.RunReconciles();
    h_.Advance(absl::Milliseconds(10));
  }
  EXPECT_LE(h_.cluster.writes() - before, 90u) << "a burst, then about one scan a second";
  EXPECT_EQ(h_.notes.count("Write loop detected"), 1u);
  EXPECT_GE(h_.engine.Figures(h_.now).controllers.at(0).slowed_writes, 5u);
}

class BudgetTest : public ::testing::Test {
 protected:
  static Options Small() {
    Options options = Harness::WithoutElection();
    options.deletion_budget = 3;
    return options;
  }
  void StartWith(const std::vector<std::string>& names, int parts) {
    for (const std::string& name : names) h_.cluster.SetWidget(name, parts, 7);
    h_.Start();
    h_.RunReconciles();
  }
  Harness h_{Small()};
};

TEST_F(BudgetTest, OneParentsOwnScaleDownIsNeverDeferred) {
  StartWith({"w"}, 20);
  h_.cluster.SetWidget("w", 0, 7);
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_TRUE(h_.cluster.All(PartType()).empty());
}

TEST_F(BudgetTest, DeletionsForManyParentsAreDeferredShownAndGoOnByThemselves) {
  StartWith({"a", "b", "c"}, 3);
  for (const char* name : {"a", "b", "c"}) h_.cluster.SetWidget(name, 0, 7);
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_TRUE(h_.HasNote("Deferred deletions"));
  EXPECT_GT(h_.cluster.All(PartType()).size(), 0u);
  bool shown = false;
  for (const char* name : {"a", "b", "c"}) {
    for (const Outcome& outcome : h_.Key(name).last_outcomes) {
      shown |= outcome.reason == "DeletionDeferred" && outcome.code == OutcomeCode::kRefused &&
               outcome.message.find("budget of 3 deletions") != std::string::npos;
    }
  }
  EXPECT_TRUE(shown);
  for (int i = 0; i < 5; ++i) {
    h_.Advance(absl::Minutes(1));
    h_.RunReconciles();
  }
  EXPECT_TRUE(h_.cluster.All(PartType()).empty());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(h_.Key(name).state, KeyState::kIdle);
}

TEST_F(BudgetTest, PlansThatWaitedForACreditAreDeferredToo) {
  StartWith({"a", "b", "c", "d", "e", "f"}, 3);
  h_.Feed(CreditsChanged{8, 0});
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) h_.cluster.SetWidget(name, 0, 7);
  h_.Deliver();
  for (int i = 0; i < 6; ++i) h_.AnswerObservation();
  h_.Feed(CreditsChanged{8, 8});
  h_.RunReconciles();
  EXPECT_GE(h_.cluster.All(PartType()).size(), 12u);
}

}  // namespace
}  // namespace xebec::watcher::testing
