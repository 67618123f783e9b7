// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/deferral.h"

#include "common/model/well_known.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/plans.h"

namespace xebec::watcher {
namespace {

using testing::ApplyOf;
using testing::DeleteOf;
using testing::MakePlan;

constexpr absl::Duration kNow = absl::Seconds(1000);
constexpr KeyId kKey = 7;

/// A budget that another key has used up.
DeletionBudget UsedUp() {
  DeletionBudget budget(1, absl::Minutes(1));
  budget.Charge(kKey + 1, 1, kNow);
  return budget;
}

TEST(Deferral, TakesOutDeletionsAndTheStagesAfterThem) {
  Plan plan = MakePlan({ApplyOf("a"), DeleteOf("b", "ub")});
  plan.stages.push_back({"later", {ApplyOf("c")}});
  plan.complete = true;
  ASSERT_EQ(Find(plan, Deferred::kDeletions).size(), 1u);
  Defer(&plan, Deferred::kDeletions);
  ASSERT_EQ(plan.stages.size(), 1u);
  ASSERT_EQ(plan.stages[0].operations.size(), 1u);
  EXPECT_EQ(plan.stages[0].operations[0].target.name, "a");
  EXPECT_FALSE(plan.complete);
}

TEST(Deferral, FinalizersAreDestructiveAndNotDeletions) {
  Operation release;
  release.id = "remove-finalizer";
  release.action = RemoveFinalizer{"example.com/f"};
  Plan plan = MakePlan({release});
  EXPECT_TRUE(RemovesFinalizer(plan));
  EXPECT_TRUE(Find(plan, Deferred::kDeletions).empty());
  EXPECT_FALSE(DeferInQuarantine(&plan, kNow, kNow));
  ASSERT_TRUE(DeferInQuarantine(&plan, kNow + absl::Seconds(1), kNow));
  EXPECT_EQ(CountOperations(plan), 0u);
}

TEST(Deferral, APlanWithNothingToDoStillHealsAppliedThatIsFalse) {
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

TEST(Deferral, OnlyProgressIsWrittenIfNothingElseIs) {
  Plan plan = MakePlan({});
  plan.stages.clear();
  EXPECT_FALSE(WritesOnlyProgress(plan));
  plan.status = StatusIntent{};
  plan.status->changed = plan.status->progress_only = true;
  plan.status->observed_applied = ConditionValue{"True", "Applied", ""};
  EXPECT_TRUE(WritesOnlyProgress(plan));
  plan.events.emplace_back();
  EXPECT_FALSE(WritesOnlyProgress(plan)) << "an event";
  plan.events.clear();
  plan.status->observed_applied = ConditionValue{"False", "Timeout", "..."};
  EXPECT_FALSE(WritesOnlyProgress(plan)) << "Applied changes";
  plan.status->blocked = plan.status->observed_applied;
  EXPECT_TRUE(WritesOnlyProgress(plan));
  plan.stages.push_back({"children", {ApplyOf("a")}});
  EXPECT_FALSE(WritesOnlyProgress(plan)) << "an operation";
  plan.stages.clear();
  plan.status->progress_only = false;
  EXPECT_FALSE(WritesOnlyProgress(plan));
}

TEST(Deferral, TheStatusShowsTheBudgetUnlessSomethingElseBlocksAlready) {
  Plan plan = MakePlan({DeleteOf("b", "ub")});
  plan.status = StatusIntent{};
  const auto deferral = OverBudget(plan, "widgets", kKey, UsedUp(), kNow);
  ASSERT_TRUE(deferral);
  DeferDeletions(&plan, deferral->message);
  EXPECT_EQ(deferral->until, kNow + absl::Minutes(1));
  ASSERT_EQ(deferral->outcomes.size(), 1u);
  EXPECT_EQ(deferral->outcomes[0].reason, kDeletionDeferred);
  EXPECT_EQ(plan.status->blocked->reason, kDeletionDeferred);

  plan = MakePlan({DeleteOf("b", "ub")});
  plan.status = StatusIntent{};
  plan.status->blocked = ConditionValue{"False", "Paused", ""};
  DeferDeletions(&plan, "the budget is used up");
  EXPECT_EQ(plan.status->blocked->reason, "Paused");
}

TEST(Deferral, AParentsOwnDeletionsAreNotDeferred) {
  const Plan plan = MakePlan({DeleteOf("b", "ub")});
  EXPECT_FALSE(OverBudget(plan, "widgets", kKey + 1, UsedUp(), kNow));
}

}  // namespace
}  // namespace xebec::watcher
