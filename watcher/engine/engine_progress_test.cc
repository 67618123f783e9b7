// SPDX-License-Identifier: Apache-2.0
// A status that shows only progress is written at most once per second (ADR 47).
#include <functional>

#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"
#include "watcher/engine/testing/plans.h"

namespace xebec::watcher::testing {
namespace {

/// A widget that shows progress, and the report of its first plan, which creates two parts and
/// writes the first status.
class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() {
    h_.cluster.SetWidget("w", 2, 9);
    h_.Start();
    h_.AnswerObservation();
    h_.AnswerPlan();
  }
  /// The planner answers that the status shows both parts.
  void PlanProgress() {
    h_.Deliver();
    ASSERT_EQ(h_.observations.size(), 1u);
    h_.AnswerObservation();
  }
  /// The same, but `change` changes the plan.
  void PlanChanged(const std::function<void(Plan*)>& change) {
    h_.Deliver();
    const SendObservation send = h_.TakeObservation();
    Plan plan = MakeWidgetPlan(send.observation);
    ASSERT_TRUE(plan.status->progress_only);
    change(&plan);
    h_.Feed(PlanArrived{send.sequence, plan});
  }
  int64_t ShownParts() {
    return FindInt(*h_.cluster.Find(WidgetType(), {"default", "w"}), {"status", "parts"})
        .value_or(-1);
  }
  void ExpectWritten() {
    ASSERT_EQ(h_.plans.size(), 1u);
    h_.AnswerPlan();
    h_.Deliver();
    EXPECT_EQ(ShownParts(), 2);
    EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
    EXPECT_EQ(h_.engine.NextDeadline(), absl::InfiniteDuration());
  }

  Harness h_;
};

TEST_F(ProgressTest, WaitsUntilASecondAfterTheLastWrite) {
  h_.now.monotonic += absl::Milliseconds(300);
  PlanProgress();
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(ShownParts(), 0);
  h_.Advance(absl::Milliseconds(699));
  EXPECT_TRUE(h_.observations.empty());
  h_.Advance(absl::Milliseconds(1));
  ASSERT_EQ(h_.observations.size(), 1u);
  EXPECT_EQ(h_.observations[0].observation.envelope.reasons, std::vector<std::string>{"progress"});
  h_.AnswerObservation();
  ExpectWritten();
}

TEST_F(ProgressTest, IsWrittenAtOnceIfTheLastWriteIsLongerAgo) {
  h_.now.monotonic += absl::Seconds(1);
  PlanProgress();
  ExpectWritten();
}

TEST_F(ProgressTest, EventsPlanAgainButDoNotPostponeTheWrite) {
  PlanProgress();
  h_.Advance(absl::Milliseconds(600));
  h_.cluster.SpoilPart("w-0", 9);
  PlanProgress();
  EXPECT_TRUE(h_.plans.empty());
  h_.Advance(absl::Milliseconds(400));
  h_.AnswerObservation();
  ExpectWritten();
}

TEST_F(ProgressTest, IsWrittenWithTheNextOperation) {
  PlanProgress();
  h_.cluster.SetWidget("w", 2, 8);
  h_.Deliver();
  h_.AnswerObservation();
  ExpectWritten();
}

TEST_F(ProgressTest, TheStateOfTheKeyExplainsTheWait) {
  PlanProgress();
  const KeyView view = h_.Key("w");
  EXPECT_EQ(view.state, KeyState::kDelayed);
  EXPECT_NE(view.explanation.find("status waits"), std::string::npos) << view.explanation;
}

TEST_F(ProgressTest, IsWrittenAtOnceIfAppliedChanges) {
  PlanChanged([](Plan* plan) { plan->status->observed_applied->status = "False"; });
  ExpectWritten();
}

TEST_F(ProgressTest, IsWrittenAtOnceIfThePlannerRequestsARetry) {
  PlanChanged([](Plan* plan) { plan->verdict = Verdict::kRetry; });
  EXPECT_EQ(h_.plans.size(), 1u);
}

TEST_F(ProgressTest, DoesNotWaitForAPlanThatLeftTheStatusUnchanged) {
  h_.now.monotonic += absl::Seconds(1);
  PlanChanged([](Plan* plan) {
    plan->stages = {{"parts", {ApplyOf("other")}}};
    plan->status->changed = plan->status->progress_only = false;
  });
  h_.AnswerPlan();
  EXPECT_EQ(ShownParts(), 0);
  h_.cluster.SpoilPart("w-0", 9);
  PlanProgress();
  ASSERT_EQ(h_.plans.size(), 1u);
  EXPECT_EQ(CountOperations(*h_.plans.front().plan), 0u);
}

}  // namespace
}  // namespace xebec::watcher::testing
