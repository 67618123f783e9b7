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
  /// A widget whose operator wants a finalizer.
  void StartWithFinalizer() {
    t_.cluster.SetWidget("w", 1, 7);
    Json spec = FakeCluster::OperatorOfWidgets();
    spec["finalizer"] = true;
    Start(spec);
    Guard();
    AnswerNothing();
  }
};

TEST_F(EngineReleaseTest, AnOperatorThatGoesLeavesItsParentsAloneAndIsReleasedAfterThem) {
  StartWithFinalizer();
  const ObjectKey widget{"default", "w"};
  const std::string finalizer = "operators.xebec.dev/web";
  t_.cluster.Finalize(WidgetType(), widget, finalizer, true);
  Complete();
  AnswerNothing();
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  Complete();
  t_.Advance(absl::Seconds(1));
  AnswerOperators();
  const auto shown = [&] { return t_.engine.Observe({OperatorType(), "", "web"}, t_.now); };
  EXPECT_FALSE(shown()->declaration_facts->released);
  t_.Feed(CreditsChanged{4, 4, 0});  // no hook is needed for that
  t_.cluster.SetWidget("w", 1, 8);
  Complete();
  EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("deletionTimestamp"));
  t_.cluster.Finalize(WidgetType(), widget, finalizer, false);
  Complete();
  AnswerNothing();
  t_.Advance(absl::Seconds(1));
  EXPECT_TRUE(shown()->declaration_facts->released);
}

TEST_F(EngineReleaseTest, AnOperatorThatGoesWaitsUntilItsParentsAreKnown) {
  const ObjectKey widget{"default", "w"};
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), widget, "operators.xebec.dev/web", true);
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
  EXPECT_FALSE(Released());
  EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("deletionTimestamp"));
  t_.cluster.Finalize(WidgetType(), widget, "operators.xebec.dev/web", false);
  Complete();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

TEST_F(EngineReleaseTest, AnOperatorThatGoesShowsTheParentThatKeepsIt) {
  StartWithFinalizer();
  t_.cluster.Finalize(WidgetType(), {"default", "w"}, "operators.xebec.dev/web", true);
  Complete();
  AnswerNothing();
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  Complete();
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
  const ObjectKey widget{"default", "w"};
  t_.cluster.Finalize(WidgetType(), widget, "operators.xebec.dev/web", true);
  Complete();
  AnswerNothing();
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["finalizer"] = true;
  spec["parent"]["version"] = "v2";
  t_.cluster.SetOperator("web", spec);
  Complete();
  AnswerOperators();
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  Complete();
  EXPECT_FALSE(Released());
  EXPECT_THAT(*AnswerNothing().declaration, HasSubstr("deletionTimestamp"));
  t_.cluster.Finalize(WidgetType(), widget, "operators.xebec.dev/web", false);
  Complete();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

TEST_F(EngineReleaseTest, AnOperatorWhoseParentsAreServedInNoVersionIsReleased) {
  StartWithFinalizer();
  t_.unserved = {"widgets"};
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["parent"]["version"] = "v2";
  t_.cluster.SetOperator("web", spec);
  Complete();
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  Complete();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

TEST_F(EngineReleaseTest, AnOperatorThatIsRefusedMeanwhileRemovesItsFinalizersFirst) {
  const ObjectKey widget{"default", "w"};
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.Finalize(WidgetType(), widget, "operators.xebec.dev/web", true);
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["finalizer"] = true;
  t_.cluster.SetOperator("web", spec);
  t_.cluster.MarkDeleted(OperatorType(), {"", "web"});
  PlannerDescription description = WidgetDescription();  // widgets are built in now
  description.kinds.push_back(OperatorDescription().kinds[0]);
  t_.Feed(DescriptionArrived{description});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  AnswerNothing();
  EXPECT_FALSE(Released());
  t_.cluster.Finalize(WidgetType(), widget, "operators.xebec.dev/web", false);
  Complete();
  AnswerNothing();
  EXPECT_TRUE(Released());
}

}  // namespace
}  // namespace xebec::watcher::testing
