// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/outcomes/outcome_memory.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/plans.h"

namespace xebec::watcher {
namespace {

using testing::ApplyOf;
using testing::DeleteOf;
using testing::MakeOutcome;
using testing::MakePlan;
using testing::ReportOf;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

bool Take(OutcomeMemory& memory, const Plan& plan, std::vector<Outcome> outcomes,
          int64_t generation = 1, absl::Time now = kNow) {
  return memory.Take(plan, ReportOf(plan, std::move(outcomes)).outcomes, generation, now);
}

TEST(OutcomeMemory, AFirstSuccessIsNoNewsAndIsKept) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a")});
  EXPECT_FALSE(Take(memory, plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone, "d1")}));
  ASSERT_EQ(memory.All().size(), 1u);
  EXPECT_EQ(memory.All()[0].digest, "d1");
  EXPECT_EQ(memory.All()[0].repeats, 1u);
  EXPECT_EQ(memory.All()[0].at, kNow);
}

TEST(OutcomeMemory, ThePlansMemoIsKeptWithWhatBecameOfIt) {
  OutcomeMemory memory;
  Plan plan = MakePlan({ApplyOf("a")});
  plan.stages[0].operations[0].memo = "start 3";
  Take(memory, plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone, "d1")});
  EXPECT_EQ(memory.All()[0].memo, "start 3");
}

TEST(OutcomeMemory, ARejectionIsNewsOnce) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a")});
  const Outcome invalid = MakeOutcome(OutcomeCode::kInvalid, Certainty::kRejected, "d1");
  EXPECT_TRUE(Take(memory, plan, {invalid}));
  EXPECT_FALSE(Take(memory, plan, {invalid}));
  EXPECT_EQ(memory.All()[0].repeats, 2u);
  EXPECT_TRUE(
      Take(memory, plan, {MakeOutcome(OutcomeCode::kForbidden, Certainty::kRejected, "d1")}));
  EXPECT_EQ(memory.All()[0].repeats, 1u);
}

TEST(OutcomeMemory, ASuccessAfterAFailureIsNews) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a")});
  Take(memory, plan, {MakeOutcome(OutcomeCode::kInvalid, Certainty::kRejected)});
  EXPECT_TRUE(Take(memory, plan, {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)}));
}

TEST(OutcomeMemory, WhatIsPutBackOnceADayIsNoRow) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a")});
  for (int day = 0; day < 5; ++day) {
    Take(memory, plan, {MakeOutcome(OutcomeCode::kChanged, Certainty::kDone, "d1")}, 1,
         kNow + absl::Hours(24) * day);
    EXPECT_EQ(memory.All()[0].repeats, 1u);
  }
}

TEST(OutcomeMemory, RepeatsCountTheSameCodeWithTheSameDigest) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a")});
  for (uint32_t n = 1; n <= 3; ++n) {
    Take(memory, plan, {MakeOutcome(OutcomeCode::kChanged, Certainty::kDone, "d1")});
    EXPECT_EQ(memory.All()[0].repeats, n);
  }
  Take(memory, plan, {MakeOutcome(OutcomeCode::kChanged, Certainty::kDone, "d2")});
  EXPECT_EQ(memory.All()[0].repeats, 1u);
}

TEST(OutcomeMemory, WhatWasNotStartedChangesNothing) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a")});
  Take(memory, plan, {MakeOutcome(OutcomeCode::kInvalid, Certainty::kRejected)});
  EXPECT_FALSE(Take(memory, plan, {MakeOutcome(OutcomeCode::kNotStarted, Certainty::kRejected)}));
  EXPECT_EQ(memory.All()[0].code, OutcomeCode::kInvalid);
}

TEST(OutcomeMemory, ADeletionTakesTheTargetsOutcomesAlong) {
  OutcomeMemory memory;
  Take(memory, MakePlan({ApplyOf("a"), ApplyOf("b")}),
       {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone),
        MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)});
  Take(memory, MakePlan({DeleteOf("a", "ua")}),
       {MakeOutcome(OutcomeCode::kDeleted, Certainty::kDone)});
  ASSERT_EQ(memory.All().size(), 1u);
  EXPECT_EQ(memory.All()[0].target.name, "b");
}

TEST(OutcomeMemory, AFailureOfWhatIsNoLongerPlannedEndsWithTheGeneration) {
  OutcomeMemory memory;
  Take(memory, MakePlan({ApplyOf("old")}),
       {MakeOutcome(OutcomeCode::kInvalid, Certainty::kRejected)}, 1);
  Take(memory, MakePlan({ApplyOf("b")}), {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)}, 1);
  EXPECT_EQ(memory.All().size(), 2u);
  Take(memory, MakePlan({ApplyOf("b")}), {MakeOutcome(OutcomeCode::kChanged, Certainty::kDone)}, 2);
  EXPECT_EQ(memory.All().size(), 1u);
}

TEST(OutcomeMemory, KnowsWhoHasANameThatWasNotHad) {
  OutcomeMemory memory;
  const Plan plan = MakePlan({ApplyOf("a"), ApplyOf("b")});
  Outcome conflict = MakeOutcome(OutcomeCode::kNameConflict, Certainty::kRejected);
  conflict.holder_uid = "u1";
  EXPECT_TRUE(Take(memory, plan, {conflict, MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)}));
  EXPECT_EQ(memory.HolderOf(ApplyOf("a").target), "u1");
  EXPECT_EQ(memory.HolderOf(ApplyOf("b").target), "");
  EXPECT_EQ(memory.HolderOf(ApplyOf("c").target), "");
  conflict.holder_uid = "u2";
  EXPECT_TRUE(Take(memory, plan, {conflict})) << "another holder is news";
  EXPECT_EQ(memory.HolderOf(ApplyOf("a").target), "u2");
}

// A quota allows 64 of the 1000 Pods of a PodSet.
TEST(OutcomeMemory, ManyRejectionsAreNewsOnce) {
  OutcomeMemory memory;
  std::vector<Operation> operations;
  for (int i = 0; i < 1000; ++i) operations.push_back(ApplyOf(std::to_string(i)));
  const Plan plan = MakePlan(operations);
  const std::vector<Outcome> rejections(
      operations.size(), MakeOutcome(OutcomeCode::kQuotaExceeded, Certainty::kRejected, "d1"));
  EXPECT_TRUE(Take(memory, plan, rejections));
  EXPECT_FALSE(Take(memory, plan, rejections));
}

TEST(OutcomeMemory, IsSortedAndBounded) {
  OutcomeMemory memory;
  for (int i = 0; i < 1100; ++i) {
    Take(memory, MakePlan({ApplyOf(std::to_string(i))}),
         {MakeOutcome(OutcomeCode::kCreated, Certainty::kDone)});
  }
  const std::vector<Outcome> all = memory.All();
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Outcome& a, const Outcome& b) {
    return a.operation < b.operation;
  }));
}

}  // namespace
}  // namespace xebec::watcher
