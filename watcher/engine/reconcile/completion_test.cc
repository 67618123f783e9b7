// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/completion.h"

#include "gtest/gtest.h"
#include "watcher/engine/reconcile/deferral.h"
#include "watcher/engine/testing/plans.h"

namespace xebec::watcher {
namespace {

using testing::ApplyOf;
using testing::DeleteOf;
using testing::MakeOutcome;
using testing::MakePlan;
using testing::ReportOf;

struct Row {
  OutcomeCode code;
  Next next;
};

TEST(Settlement, EveryRejectionLeadsToItsOwnNextStep) {
  const Row rows[] = {
      {OutcomeCode::kStale, Next::kAgain},
      {OutcomeCode::kNotStarted, Next::kAgain},
      {OutcomeCode::kAbsent, Next::kAgain},
      {OutcomeCode::kNameConflict, Next::kWanted},
      {OutcomeCode::kTerminating, Next::kWanted},
      {OutcomeCode::kNamespaceTerminating, Next::kQuiet},
      {OutcomeCode::kInvalid, Next::kRetry},
      {OutcomeCode::kForbidden, Next::kRetry},
      {OutcomeCode::kQuotaExceeded, Next::kRetry},
      {OutcomeCode::kAdmissionDenied, Next::kRetry},
      {OutcomeCode::kThrottled, Next::kRetry},
      {OutcomeCode::kServerError, Next::kRetry},
      {OutcomeCode::kRefused, Next::kRetry},
      {OutcomeCode::kFenced, Next::kRetry},
      {OutcomeCode::kNotServed, Next::kRetry},
      {OutcomeCode::kTooLarge, Next::kRetry},
      {OutcomeCode::kUnauthorized, Next::kRetry},
      {OutcomeCode::kUnexpected, Next::kRetry},
  };
  const Plan plan = MakePlan({ApplyOf("a")});
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(Name(row.code)));
    const Settlement s =
        Settle(plan, ReportOf(plan, {MakeOutcome(row.code, Certainty::kRejected)}));
    EXPECT_EQ(s.next, row.next);
    EXPECT_FALSE(s.reason.empty());
  }
}

TEST(Settlement, WhatIsDoneRests) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Settlement s =
      Settle(plan, ReportOf(plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone),
                                   MakeOutcome(OutcomeCode::kDeleted, Certainty::kDone)}));
  EXPECT_EQ(s.next, Next::kRest);
  EXPECT_EQ(s.not_deleted, 0u);
}

TEST(Settlement, TheWorstOutcomeDecides) {
  const Plan plan = MakePlan({ApplyOf("a"), ApplyOf("b"), ApplyOf("c")});
  const Settlement s =
      Settle(plan, ReportOf(plan, {MakeOutcome(OutcomeCode::kNameConflict, Certainty::kRejected),
                                   MakeOutcome(OutcomeCode::kInvalid, Certainty::kRejected),
                                   MakeOutcome(OutcomeCode::kNotStarted, Certainty::kRejected)}));
  EXPECT_EQ(s.next, Next::kRetry);
  ASSERT_EQ(s.wanted.size(), 1u);
  EXPECT_EQ(s.wanted[0].name, "a");
}

TEST(Settlement, AnOutcomeThatIsMissingIsUnknown) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Settlement s =
      Settle(plan, ReportOf(plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)}));
  ASSERT_EQ(s.unknown.size(), 1u);
  EXPECT_EQ(s.unknown[0].target.name, "b");
  EXPECT_EQ(s.not_deleted, 0u) << "it may have been deleted";
}

TEST(Settlement, OutcomesOfOtherOperationsAndForgedTargetsAreNotBelieved) {
  const Plan plan = MakePlan({ApplyOf("a")});
  Report report = ReportOf(plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)});
  report.outcomes[0].target.name = "elsewhere";
  report.outcomes.push_back(report.outcomes[0]);
  report.outcomes[1].operation = "delete everything";
  const Settlement s = Settle(plan, report);
  ASSERT_EQ(s.outcomes.size(), 1u);
  EXPECT_EQ(s.outcomes[0].target.name, "a");
}

TEST(Settlement, AStatusThatHadToBeWrittenAndIsNotReportedIsTriedAgain) {
  Plan plan = MakePlan({});
  plan.status = StatusIntent{};
  EXPECT_EQ(Settle(plan, ReportOf(plan, {})).next, Next::kRest);
  plan.status->changed = true;
  EXPECT_EQ(Settle(plan, ReportOf(plan, {})).next, Next::kAgain);
}

TEST(Settlement, ALostReportLeavesEverythingUnknown) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Settlement s = Settle(plan, UnknownReport(plan));
  EXPECT_EQ(s.unknown.size(), 2u);
  EXPECT_EQ(s.next, Next::kAgain);
}

TEST(Settlement, WhatWasNotStartedWasNotDeleted) {
  const Plan plan = MakePlan({DeleteOf("b", "ub")});
  EXPECT_EQ(Settle(plan, NotStartedReport(plan, "unreadable")).not_deleted, 1u);
}

TEST(HeldBack, TakesDeletionsAndTheStagesAfterThemOut) {
  Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  plan.stages.push_back({"later", {ApplyOf("c")}});
  plan.complete = true;
  ASSERT_EQ(Held(plan, Hold::kDeletions).size(), 1u);
  HoldBack(&plan, Hold::kDeletions);
  ASSERT_EQ(plan.stages.size(), 1u);
  ASSERT_EQ(plan.stages[0].operations.size(), 1u);
  EXPECT_EQ(plan.stages[0].operations[0].target.name, "a");
  EXPECT_FALSE(plan.complete);
}

TEST(HeldBack, FinalizersAreDestructiveAndNotDeletions) {
  Operation release;
  release.id = "remove-finalizer";
  release.action = RemoveFinalizer{"example.com/f"};
  Plan plan = MakePlan({release});
  EXPECT_TRUE(Held(plan, Hold::kDeletions).empty());
  HoldBack(&plan, Hold::kDestructive);
  EXPECT_EQ(CountOperations(plan), 0u);
}

TEST(HeldBack, APlanWithNothingToDoStillHealsAppliedThatIsFalse) {
  Plan plan = MakePlan({});
  plan.stages.clear();
  EXPECT_TRUE(HasNothingToWrite(plan));
  plan.status = StatusIntent{};
  plan.status->observed_applied = ConditionValue{"True", "Applied", ""};
  EXPECT_TRUE(HasNothingToWrite(plan));
  plan.status->observed_applied = ConditionValue{"False", "Timeout", "..."};
  EXPECT_FALSE(HasNothingToWrite(plan));
  plan.status->blocked = plan.status->observed_applied;
  EXPECT_TRUE(HasNothingToWrite(plan));
  plan.status->changed = true;
  EXPECT_FALSE(HasNothingToWrite(plan));
}

TEST(HeldBack, ShowsTheHoldUnlessSomethingElseBlocksAlready) {
  Plan plan = MakePlan({});
  plan.status = StatusIntent{};
  ShowHeld(&plan, "the budget is used up");
  EXPECT_EQ(plan.status->blocked->reason, "DeletionDeferred");
  plan.status->blocked = ConditionValue{"False", "Paused", ""};
  ShowHeld(&plan, "the budget is used up");
  EXPECT_EQ(plan.status->blocked->reason, "Paused");
}

}  // namespace
}  // namespace xebec::watcher
