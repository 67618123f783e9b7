// SPDX-License-Identifier: Apache-2.0
// With which planner revision parents are planned.
#include "gtest/gtest.h"
#include "watcher/engine/testing/gadgets.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

class EngineRevisionsTest : public ::testing::Test {
 protected:
  std::string Revision() const { return h_.engine.Figures(h_.now).planner_revision; }
  /// A planner of that revision answers the next observation.
  void AnswerAs(const std::string& revision) {
    const SendObservation send = h_.TakeObservation();
    Plan plan = MakeWidgetPlan(send.observation);
    plan.planner_revision = revision;
    h_.Feed(PlanArrived{send.sequence, plan});
  }

  Harness h_;
};

TEST_F(EngineRevisionsTest, ANewRevisionTakesOverOnceWhenWhatItNeedsIsListed) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  PlannerDescription next = WidgetDescription("r2");
  next.kinds.push_back(GadgetKind());
  h_.Feed(DescriptionArrived{next});
  EXPECT_EQ(Revision(), "r1") << "gadgets are not listed yet";
  h_.Deliver();
  EXPECT_EQ(Revision(), "r2");
  EXPECT_EQ(h_.observations.front().observation.envelope.planner_revision, "r2");
  h_.RunReconciles();
  h_.Feed(DescriptionArrived{WidgetDescription("r1")});  // an old replica reconnects
  h_.Deliver();
  EXPECT_EQ(Revision(), "r2");
  EXPECT_TRUE(h_.observations.empty());
}

// Revision r1 needs the specs of parts alone, r2 their status besides.
TEST_F(EngineRevisionsTest, KeysArePlannedWhileTheirCacheIsMadeWiderForTheNextRevision) {
  PlannerDescription narrow = WidgetDescription();
  narrow.kinds[0].children[0].fields = {"spec"};
  PlannerDescription wide = WidgetDescription("r2");
  wide.kinds[0].children[0].fields = {"spec", "status"};
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(narrow);
  h_.RunReconciles();
  h_.Feed(DescriptionArrived{wide});
  h_.cluster.SetWidget("w", 1, 8);
  h_.Feed(EventsArrived{h_.StreamOf(WidgetType()),
                        {{.type = kube::WatchEventType::kModified,
                          .object = h_.cluster.List(WidgetType()).front()}}});
  ASSERT_EQ(h_.observations.size(), 1u) << "parts are being listed";
  EXPECT_EQ(h_.observations.front().observation.envelope.planner_revision, "r1");
  EXPECT_EQ(Revision(), "r1");
  h_.observations.clear();
  h_.Deliver();
  EXPECT_EQ(Revision(), "r2");
}

/// Revision r2 needs scraps besides, which cannot be listed.
class StuckRevisionTest : public EngineRevisionsTest {
 protected:
  StuckRevisionTest() {
    h_.cluster.SetWidget("w", 1, 7);
    PlannerDescription first = WidgetDescription(), next = LeavingWidgetDescription();
    first.kinds.push_back(GadgetKind());
    next.kinds.push_back(GadgetKind());
    next.revision = "r2";
    h_.Start(first);
    h_.Feed(DescriptionArrived{next});
    for (const Discover& each : h_.Take<Discover>()) {
      h_.Feed(Discovered{each.type, true, true, false});
    }
    const ApiFailure failure{500, "", "the conversion webhook is down", std::nullopt};
    h_.Feed(WatchEnded{h_.StreamOf(ScrapType()), failure});
  }
};

TEST_F(StuckRevisionTest, TakesOverAfterAWhileThoughAResourceCannotBeListed) {
  EXPECT_EQ(Revision(), "r1");
  h_.Advance(absl::Seconds(61));
  EXPECT_EQ(Revision(), "r2");
}

TEST_F(StuckRevisionTest, ParentsOfAnotherKindArePlannedAfterwards) {
  while (!h_.observations.empty()) h_.AnswerObservation();
  h_.Advance(absl::Seconds(61));
  AddGadget("default", "9000", &h_);
  ASSERT_FALSE(h_.observations.empty());
  EXPECT_EQ(h_.TakeObservation().observation.envelope.parent.ref.name, "g");
}

TEST_F(StuckRevisionTest, TakesOverOnceNoPlannerOfTheOldOneIsLeft) {
  for (int i = 0; i < 40 && Revision() == "r1"; ++i) {
    while (!h_.observations.empty()) AnswerAs("r2");
    h_.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(Revision(), "r2");
  EXPECT_LT(h_.now.monotonic, absl::Seconds(1050));
}

TEST_F(EngineRevisionsTest, APlanOfAnotherRevisionIsNotCarriedOut) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  AnswerAs("r0");
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.Key("w").state, KeyState::kDelayed);
}

TEST_F(EngineRevisionsTest, ARollbackIsFollowedOnceTheNewRevisionIsGone) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.RunReconciles();
  h_.Feed(DescriptionArrived{WidgetDescription("r2")});
  h_.Deliver();
  for (int i = 0; i < 40 && Revision() == "r2"; ++i) {
    while (!h_.observations.empty()) AnswerAs("r1");  // the only one that is connected
    h_.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(Revision(), "r1");
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineRevisionsTest, AKindThatTheNewRevisionDropsIsForgotten) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(GadgetKind());
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start(description);
  h_.RunReconciles();
  PlannerDescription less{"r2", {GadgetKind()}};
  h_.Feed(DescriptionArrived{less});
  EXPECT_TRUE(h_.Keys().empty());
  EXPECT_EQ(h_.StreamOf(WidgetType()), 0u);
  h_.Feed(DescriptionArrived{WidgetDescription("r3")});
  h_.Deliver();
  h_.RunReconciles();
  EXPECT_EQ(h_.Key("w").state, KeyState::kIdle);
}

TEST_F(EngineRevisionsTest, ARevisionWithAnotherParentLabelAndOneMoreKindTakesOver) {
  PlannerDescription one = WidgetDescription();
  PlannerDescription two = WidgetDescription("r2");
  one.kinds[0].children[0].parent_label = "a";
  two.kinds[0].children[0].parent_label = "b";
  ChildRule more;
  more.type = GadgetType();
  two.kinds[0].children.push_back(more);
  h_.Start(one);
  h_.Feed(DescriptionArrived{two});
  h_.Deliver();
  EXPECT_EQ(Revision(), "r2");
}

TEST_F(EngineRevisionsTest, APlanThatWaitedForAnApplierIsNotSentAfterTheRevisionMoved) {
  h_.cluster.SetWidget("w", 1, 7);
  h_.Start();
  h_.Feed(CreditsChanged{4, 0});
  h_.AnswerObservation();
  h_.Feed(DescriptionArrived{WidgetDescription("r2")});
  h_.Deliver();
  h_.Advance(absl::Seconds(1));
  ASSERT_EQ(Revision(), "r2");
  h_.Feed(CreditsChanged{4, 4});
  EXPECT_TRUE(h_.plans.empty());
  EXPECT_EQ(h_.TakeObservation().observation.envelope.planner_revision, "r2");
}

}  // namespace
}  // namespace xebec::watcher::testing
