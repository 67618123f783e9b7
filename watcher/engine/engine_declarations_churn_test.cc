// SPDX-License-Identifier: Apache-2.0
// Operators that come and go, and that cannot be read for some time.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/declarations_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class EngineDeclarationsChurnTest : public EngineDeclarationsTest {
 protected:
  using EngineDeclarationsTest::EngineDeclarationsTest;

  /// The number of controllers that the engine remembers.
  size_t Controllers() const {
    size_t controllers = 0;
    const auto count = [&controllers](const ResourceType&) {
      ++controllers;
      return false;
    };
    t_.engine.Find(count, {"", "any"});
    return controllers;
  }
};

// Somebody deletes the CRD of Operators, and with it all of them.
TEST_F(EngineDeclarationsChurnTest, OperatorsThatBecomeUnreadableAfterAChangeCauseNoBusyLoop) {
  Start();
  t_.Advance(absl::Seconds(5));
  t_.cluster.Remove(OperatorType(), {"", "web"});
  t_.Deliver();
  t_.unserved = {"operators"};
  t_.Feed(WatchEnded{t_.StreamOf(OperatorType()), std::nullopt});
  t_.Deliver();
  t_.Advance(absl::Milliseconds(60));
  EXPECT_GT(t_.engine.NextDeadline(), t_.now.monotonic);
  t_.unserved.clear();
  t_.cluster.SetOperator("again", FakeCluster::OperatorOfWidgets());
  t_.Advance(absl::Seconds(11));
  Complete();
  Complete();
  t_.cluster.SetWidget("w", 1, 7);
  Complete();
  AnswerOperators();
  EXPECT_EQ(t_.TakeObservation().observation.envelope.controller, "again");
}

TEST_F(EngineDeclarationsChurnTest, OperatorsOfEverNewNamesAreForgotten) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  const size_t before = Controllers();
  for (int i = 0; i < 20; ++i) {
    const std::string old = i == 0 ? "web" : "web" + std::to_string(i - 1);
    t_.cluster.Remove(OperatorType(), {"", old});
    Complete();
    AnswerNothing();
    t_.cluster.SetOperator("web" + std::to_string(i), FakeCluster::OperatorOfWidgets());
    Complete();
    EXPECT_EQ(AnswerNothing().envelope.controller, "web" + std::to_string(i));
  }
  EXPECT_EQ(Controllers(), before);
}

TEST_F(EngineDeclarationsChurnTest, ANewOperatorHasNoFiguresOfAnotherOne) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.SetOperator("old", FakeCluster::OperatorOfWidgets());
  Start();
  const HookFailure failure{HookFailureCode::kTimeout, "no answer", {}};
  AskForHook();
  Answer(Calls().at(0), failure);
  t_.cluster.Remove(OperatorType(), {"", "old"});
  Complete();
  AnswerNothing();
  const size_t before = Controllers();
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["status"] = false;
  t_.cluster.SetOperator("new", spec);
  Complete();
  ASSERT_EQ(Controllers(), before);
  for (const ControllerFigures& each : t_.engine.Figures(t_.now).controllers) {
    if (each.controller != "new") continue;
    EXPECT_THAT(each.hook_calls, IsEmpty());
    EXPECT_EQ(each.hook_limit, 8u);
    return;
  }
  ADD_FAILURE() << "it has no figures";
}

// Somebody deletes the CRD and creates it again at once.
TEST_F(EngineDeclarationsChurnTest, ParentsThatAreServedWithAnotherScopeAreWatchedAgain) {
  Start();
  t_.Advance(absl::Seconds(5));
  t_.types.front().cluster_scoped = true;
  t_.Feed(WatchEnded{t_.StreamOf(WidgetType()), std::nullopt});
  Complete();
  std::vector<ResourceType> watched;
  for (const ResourceFigures& each : t_.engine.Figures(t_.now).resources) {
    watched.push_back(each.type);
  }
  EXPECT_THAT(watched, UnorderedElementsAre(OperatorType(), PartType(), t_.types.front()));
}

/// One namespace is watched. An Operator has cluster-scoped parents.
class OtherScopeTest : public EngineDeclarationsChurnTest {
 protected:
  static Options OfOneNamespace() {
    Options options = WithHooks();
    options.namespaces = {"default"};
    return options;
  }
  OtherScopeTest() : EngineDeclarationsChurnTest(OfOneNamespace()) {
    t_.types.push_back(GadgetType());
    t_.types.back().cluster_scoped = true;
  }
};

// Another Operator has the new parents already, so the controller is never without parents.
TEST_F(OtherScopeTest, KeysOfFormerClusterScopedParentsAreForgotten) {
  t_.cluster.SetWidget("w", 1, 7);
  // The FakeCluster shows Widgets as a whole.
  const Json gadget = Json::parse(R"({"kind": "Widget", "metadata": {"name": "g"}})");
  t_.cluster.Apply(GadgetType(), gadget, /*absent=*/true, "");
  t_.cluster.SetOperator("other", FakeCluster::OperatorOfWidgets());
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["parent"]["resource"] = "gadgets";
  Start(spec);
  AnswerNothing();
  ASSERT_EQ(t_.Key("g", "").controller, "web");
  t_.cluster.Remove(OperatorType(), {"", "web"});
  spec = FakeCluster::OperatorOfWidgets();
  spec["status"] = false;
  t_.cluster.SetOperator("web", spec);
  Complete();
  AnswerNothing();
  EXPECT_TRUE(t_.Key("g", "").controller.empty());
  EXPECT_EQ(FiguresOfWeb().keys, 1u);
}

}  // namespace
}  // namespace xebec::watcher::testing
