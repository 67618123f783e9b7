// SPDX-License-Identifier: Apache-2.0
// Operators that are deleted: their finalizers go from all parents before they are released.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/declarations_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::HasSubstr;

class EngineReleaseTest : public EngineDeclarationsTest {
 protected:
  static Json SpecWithFinalizer(const char* version = "v1") {
    Json spec = FakeCluster::OperatorOfWidgets();
    spec["finalizer"] = true;
    spec["parent"]["version"] = version;
    return spec;
  }
  /// A widget whose operator wants a finalizer.
  void StartWithFinalizer() {
    t_.cluster.SetWidget("w", 1, 7);
    Start(SpecWithFinalizer());
    Guard();
    AnswerNothing();
  }
  /// The widget gets the finalizer of its operator, or loses it.
  void SetFinalizer(bool present) {
    t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", present);
    Complete();
    AnswerNothing();
  }
  void DeleteOperator() {
    t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
    Complete();
  }
  /// The operator stays until the planner has removed the finalizer.
  void ExpectReleasedAfterTheFinalizer() {
    EXPECT_FALSE(Released());
    EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("deletionTimestamp"));
    SetFinalizer(false);
    EXPECT_TRUE(Released());
  }
};

TEST_F(EngineReleaseTest, AnOperatorThatGoesLeavesItsParentsAloneAndIsReleasedAfterThem) {
  StartWithFinalizer();
  SetFinalizer(true);
  DeleteOperator();
  t_.Advance(absl::Seconds(1));
  AnswerOperators();
  const auto shown = [&] { return t_.engine.Observe({OperatorType(), "", "web"}, t_.now); };
  EXPECT_FALSE(shown()->declaration_facts->released);
  t_.Feed(CreditsChanged{4, 4, 0});  // no hook is needed for that
  t_.cluster.SetWidget("w", 1, 8);
  Complete();
  EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("deletionTimestamp"));
  SetFinalizer(false);
  t_.Advance(absl::Seconds(1));
  EXPECT_TRUE(shown()->declaration_facts->released);
}

TEST_F(EngineReleaseTest, AnOperatorThatGoesWaitsUntilItsParentsAreKnown) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", true);
  t_.cluster.SetOperator("web", FakeCluster::OperatorOfWidgets());
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  t_.unread = {"widgets"};
  t_.Feed(DescriptionArrived{OperatorDescription()});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  AnswerOperators();
  EXPECT_FALSE(Released());
  t_.unread.clear();
  t_.unserved = {"parts"};  // they are not needed any more
  t_.Advance(absl::Seconds(11));
  Complete();
  ExpectReleasedAfterTheFinalizer();
}

TEST_F(EngineReleaseTest, AnOperatorThatGoesShowsTheParentThatKeepsIt) {
  StartWithFinalizer();
  SetFinalizer(true);
  DeleteOperator();
  AnswerOperators();
  Retry();
  t_.Advance(absl::Seconds(6));
  const auto observation = t_.engine.Observe({OperatorType(), "", "web"}, t_.now);
  EXPECT_FALSE(observation->declaration_facts->released);
  EXPECT_EQ(observation->declaration_facts->problems, 1u);
  EXPECT_EQ(observation->declaration_facts->failure, "default/w: no connection");
}

TEST_F(EngineReleaseTest, AnOperatorOfAVersionThatIsNotServedRemovesItsFinalizersInAnother) {
  StartWithFinalizer();
  SetFinalizer(true);
  t_.cluster.SetOperator("web", SpecWithFinalizer("v2"));
  Complete();
  AnswerOperators();
  DeleteOperator();
  ExpectReleasedAfterTheFinalizer();
}

TEST_F(EngineReleaseTest, AnOperatorWhoseParentsAreServedInNoVersionIsReleased) {
  StartWithFinalizer();
  t_.unserved = {"widgets"};
  t_.cluster.SetOperator("web", SpecWithFinalizer("v2"));
  Complete();
  DeleteOperator();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

TEST_F(EngineReleaseTest, AnOperatorThatIsRefusedMeanwhileRemovesItsFinalizersFirst) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", true);
  t_.cluster.SetOperator("web", SpecWithFinalizer());
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  PlannerDescription description = WidgetDescription();  // widgets are built in now
  description.kinds.push_back(OperatorDescription().kinds[0]);
  t_.Feed(DescriptionArrived{description});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  AnswerNothing();
  EXPECT_FALSE(Released());
  SetFinalizer(false);
  EXPECT_TRUE(Released());
}

}  // namespace
}  // namespace xebec::watcher::testing
