// SPDX-License-Identifier: Apache-2.0
#include "planner/service/plan_log.h"

#include "gtest/gtest.h"

namespace xebec::planner {
namespace {

using telemetry::Level;

Plan WithOperations(int count) {
  Plan plan;
  plan.stages.push_back({"children", {}});
  for (int i = 0; i < count; ++i) {
    Operation operation;
    operation.id = "apply pods default/p-" + std::to_string(i);
    plan.stages.back().operations.push_back(std::move(operation));
  }
  return plan;
}

Plan WithStatus(bool changed) {
  Plan plan;
  plan.status.emplace().changed = changed;
  return plan;
}

TEST(PlanLog, APlanThatWritesSomethingIsToldAndOneThatDoesNotOnlyToWhoDebugs) {
  EXPECT_EQ(LevelOf(WithOperations(1)), Level::kInfo);
  EXPECT_EQ(LevelOf(WithStatus(true)), Level::kInfo);
  EXPECT_EQ(LevelOf(WithStatus(false)), Level::kDebug);
  EXPECT_EQ(LevelOf(Plan()), Level::kDebug);
}

TEST(PlanLog, AnObservationThatCannotBePlannedIsToldAlthoughNothingIsWritten) {
  Plan plan;
  plan.verdict = Verdict::kRetry;
  EXPECT_EQ(LevelOf(plan), Level::kInfo);
}

TEST(PlanLog, TheSummaryNamesWhatIsWrittenInItsOrder) {
  Plan plan = WithOperations(2);
  plan.status.emplace().changed = true;
  EXPECT_EQ(Summary(plan), "apply pods default/p-0; apply pods default/p-1; status");
  plan.status->changed = false;
  EXPECT_EQ(Summary(plan), "apply pods default/p-0; apply pods default/p-1");
}

TEST(PlanLog, TheSummaryOfALongPlanStaysShort) {
  EXPECT_EQ(Summary(WithOperations(500)),
            "apply pods default/p-0; apply pods default/p-1; apply pods default/p-2; "
            "apply pods default/p-3; apply pods default/p-4; and 495 more");
}

TEST(PlanLog, OfAParentWithoutStatusTheEventsAreNamed) {
  Plan plan;
  plan.events.push_back({.reason = "InvalidSpec"});
  EXPECT_EQ(Summary(plan), "event InvalidSpec");
  EXPECT_EQ(LevelOf(plan), Level::kInfo);
}

}  // namespace
}  // namespace xebec::planner
