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

TEST(PlanLog, LogsPlansAtDebugBecauseTheApplierLogsWhatIsWritten) {
  EXPECT_EQ(LevelOf(WithOperations(1)), Level::kDebug);
  EXPECT_EQ(LevelOf(WithStatus(true)), Level::kDebug);
  EXPECT_EQ(LevelOf(Plan()), Level::kDebug);
}

TEST(PlanLog, LogsObservationsThatCannotBePlannedAtInfo) {
  Plan plan;
  plan.verdict = Verdict::kRetry;
  EXPECT_EQ(LevelOf(plan), Level::kInfo);
}

TEST(PlanLog, LogsAnInvalidParentAtInfoUntilItsStatusSaysSo) {
  Plan plan = WithStatus(true);
  plan.verdict = Verdict::kInvalid;
  EXPECT_EQ(LevelOf(plan), Level::kInfo);
  plan.status->changed = false;
  EXPECT_EQ(LevelOf(plan), Level::kDebug);
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
}

}  // namespace
}  // namespace xebec::planner
