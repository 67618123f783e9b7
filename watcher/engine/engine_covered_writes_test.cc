// SPDX-License-Identifier: Apache-2.0
// Writes of children that a plan covers: their events need no plan.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::Contains;

/// A widget whose first plan creates a part and covers its writes; the plan is at the applier.
class CoveredWritesTest : public ::testing::Test {
 protected:
  CoveredWritesTest() {
    h_.cluster.SetWidget("w", 1, 8);
    h_.Start();
    h_.AnswerObservation();
    plan_ = h_.TakePlan();
    EXPECT_TRUE(plan_.plan->covers_writes);
    report_ = ApplyPlan(*plan_.plan, {}, &h_.cluster);
  }
  void Report() { h_.Feed(ReportArrived{plan_.sequence, report_}); }
  void ExpectIdle() {
    EXPECT_TRUE(h_.observations.empty()) << "planned again";
    EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
    EXPECT_EQ(h_.engine.NextDeadline(), absl::InfiniteDuration());
  }
  void ExpectPlanned(const std::string& reason) {
    ASSERT_EQ(h_.observations.size(), 1u);
    EXPECT_EQ(h_.observations[0].observation.envelope.reasons, std::vector<std::string>{reason});
    h_.RunReconciles();
    EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
  }

  Harness h_;
  SendPlan plan_;
  xebec::Report report_;
};

TEST_F(CoveredWritesTest, AreNotPlannedIfTheEventArrivesAfterTheReport) {
  Report();
  EXPECT_EQ(h_.Key("w").state, KeyState::kWaitingForCache);
  h_.Deliver();
  ExpectIdle();
}

TEST_F(CoveredWritesTest, AreNotPlannedIfTheEventArrivesBeforeTheReport) {
  h_.Deliver();
  Report();
  ExpectIdle();
}

TEST_F(CoveredWritesTest, ChangesOfCoveredChildrenAreNotPlannedEither) {
  Report();
  h_.Deliver();
  h_.cluster.SetWidget("w", 1, 10);
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();
  EXPECT_EQ(FindInt(h_.cluster.All(PartType()).begin()->second, {"spec", "value"}), 10);
  h_.Deliver();
  ExpectIdle();
}

TEST_F(CoveredWritesTest, AnotherWriteOfTheChildIsPlannedIfItsEventArrivesAfterTheReport) {
  h_.cluster.SpoilPart("w-0", 3);
  Report();
  h_.Deliver();
  ExpectPlanned("Part default/w-0 changed");
  EXPECT_EQ(FindInt(h_.cluster.All(PartType()).begin()->second, {"spec", "value"}), 8);
}

TEST_F(CoveredWritesTest, AnotherWriteOfTheChildIsPlannedIfItsEventArrivesBeforeTheReport) {
  h_.cluster.SpoilPart("w-0", 3);
  h_.Deliver();
  Report();
  ExpectPlanned("Part default/w-0 changed");
  EXPECT_EQ(FindInt(h_.cluster.All(PartType()).begin()->second, {"spec", "value"}), 8);
}

TEST_F(CoveredWritesTest, ALaterWriteOfTheChildIsPlanned) {
  Report();
  h_.Deliver();
  h_.cluster.SpoilPart("w-0", 3);
  h_.Deliver();
  ExpectPlanned("Part default/w-0 changed");
}

TEST_F(CoveredWritesTest, ArePlannedIfTheServerStoresOtherValues) {
  report_.outcomes[0].as_desired = false;
  h_.Deliver();
  Report();
  ExpectPlanned("Part default/w-0 added");
}

TEST_F(CoveredWritesTest, ArePlannedAfterTheReportIfTheServerStoresOtherValues) {
  report_.outcomes[0].as_desired = false;
  Report();
  h_.Deliver();
  ExpectPlanned("Part default/w-0 added");
}

TEST_F(CoveredWritesTest, ArePlannedIfTheReportIsLost) {
  h_.Deliver();
  h_.Feed(ReportLost{plan_.sequence});
  h_.Advance(absl::Minutes(2));
  h_.AnswerReads();
  ASSERT_EQ(h_.observations.size(), 1u);
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(CoveredWritesTest, ArePlannedIfTheApplierCouldNotReadThePlan) {
  h_.Deliver();
  h_.Feed(PlanUnreadable{plan_.sequence, "why"});
  EXPECT_THAT(h_.Key("w").reasons, Contains("Part default/w-0 added"));
}

TEST(UncoveredWrites, ArePlanned) {
  Harness h;
  h.cluster.SetWidget("w", 1, 7);
  h.Start();
  h.AnswerObservation();
  h.AnswerPlan();
  h.Deliver();
  EXPECT_EQ(h.observations.size(), 1u);
}

}  // namespace
}  // namespace xebec::watcher::testing
