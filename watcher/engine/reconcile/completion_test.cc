// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/completion.h"

#include "gtest/gtest.h"
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

TEST(Completion, EveryRejectionLeadsToItsOwnNextStep) {
  const Row rows[] = {
      {OutcomeCode::kStale, Next::kAgain},
      {OutcomeCode::kNotStarted, Next::kAgain},
      {OutcomeCode::kAbsent, Next::kAgain},
      {OutcomeCode::kNameConflict, Next::kWanted},
      {OutcomeCode::kTerminating, Next::kWanted},
      {OutcomeCode::kNamespaceTerminating, Next::kQuiet},  // the namespace of the parent
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
  Plan plan = MakePlan({ApplyOf("a")});
  plan.envelope.parent.ref.ns = "default";
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(Name(row.code)));
    const Completion s =
        Complete(plan, ReportOf(plan, {MakeOutcome(row.code, Certainty::kRejected)}));
    EXPECT_EQ(s.next, row.next);
    EXPECT_FALSE(s.reason.empty());
  }
}

TEST(Completion, AMissingNamespaceOfAChildAloneIsRetried) {
  Plan plan = MakePlan({ApplyOf("a")});
  const Report report =
      ReportOf(plan, {MakeOutcome(OutcomeCode::kNamespaceTerminating, Certainty::kRejected)});
  for (const char* parent_ns : {"", "elsewhere"}) {
    plan.envelope.parent.ref.ns = parent_ns;
    EXPECT_EQ(Complete(plan, report).next, Next::kRetry) << parent_ns;
  }
}

TEST(Completion, WhatIsDoneLeavesTheKeyIdle) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Completion s =
      Complete(plan, ReportOf(plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone),
                                     MakeOutcome(OutcomeCode::kDeleted, Certainty::kDone)}));
  EXPECT_EQ(s.next, Next::kIdle);
  EXPECT_TRUE(s.not_deleted.empty());
}

TEST(Completion, TheWorstOutcomeDecides) {
  const Plan plan = MakePlan({ApplyOf("a"), ApplyOf("b"), ApplyOf("c")});
  const Completion s =
      Complete(plan, ReportOf(plan, {MakeOutcome(OutcomeCode::kNameConflict, Certainty::kRejected),
                                     MakeOutcome(OutcomeCode::kInvalid, Certainty::kRejected),
                                     MakeOutcome(OutcomeCode::kNotStarted, Certainty::kRejected)}));
  EXPECT_EQ(s.next, Next::kRetry);
  ASSERT_EQ(s.wanted.size(), 1u);
  EXPECT_EQ(s.wanted[0].name, "a");
}

TEST(Completion, AnOutcomeThatIsMissingIsUnknown) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Completion s =
      Complete(plan, ReportOf(plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)}));
  ASSERT_EQ(s.unknown.size(), 1u);
  EXPECT_EQ(s.unknown[0].target.name, "b");
  EXPECT_TRUE(s.not_deleted.empty()) << "it may have been deleted";
}

TEST(Completion, OutcomesOfOtherOperationsAndForgedTargetsAreNotBelieved) {
  const Plan plan = MakePlan({ApplyOf("a")});
  Report report = ReportOf(plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)});
  report.outcomes[0].target.name = "elsewhere";
  report.outcomes.push_back(report.outcomes[0]);
  report.outcomes[1].operation = "delete everything";
  const Completion s = Complete(plan, report);
  ASSERT_EQ(s.outcomes.size(), 1u);
  EXPECT_EQ(s.outcomes[0].target.name, "a");
}

TEST(Completion, AStatusThatHadToBeWrittenAndIsNotReportedIsTriedAgain) {
  Plan plan = MakePlan({});
  plan.status = StatusIntent{};
  EXPECT_EQ(Complete(plan, ReportOf(plan, {})).next, Next::kIdle);
  plan.status->changed = true;
  EXPECT_EQ(Complete(plan, ReportOf(plan, {})).next, Next::kAgain);
}

TEST(Completion, ALostReportLeavesEverythingUnknown) {
  const Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  const Completion s = Complete(plan, UnknownReport(plan));
  EXPECT_EQ(s.unknown.size(), 2u);
  EXPECT_EQ(s.next, Next::kAgain);
}

TEST(Completion, WhatWasNotStartedWasNotDeleted) {
  const Plan plan = MakePlan({DeleteOf("b", "ub")});
  Report report = UnknownReport(plan);
  report.outcomes[0].code = OutcomeCode::kNotStarted;
  report.outcomes[0].certainty = Certainty::kRejected;
  const Completion s = Complete(plan, report);
  ASSERT_EQ(s.not_deleted.size(), 1u);
  EXPECT_EQ(s.not_deleted[0].name, "b");
}

}  // namespace
}  // namespace xebec::watcher
