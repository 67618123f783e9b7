// SPDX-License-Identifier: Apache-2.0
// What becomes of the Deployment when spec.deploymentName changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "planner/kinds/resources.h"
#include "planner/kinds/testing/iris_scene.h"

namespace xebec::planner {
namespace {

using testing::ChangeSpec;
using ::testing::ElementsAre;
using testing::Iris;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::Scene;

Json Deployment(const Scene& scene, const std::string& name) {
  const Json* object = scene.world.Get(scene.Ref(DeploymentType(), name));
  return object == nullptr ? Json() : *object;
}

TEST(IrisRename, RenamedOneMakesTheNewDeploymentThenDeletesTheOld) {
  Scene scene = Iris(R"({"deploymentName": "old"})");
  scene.Converge();
  ChangeSpec(scene, "deploymentName", "new");
  const Plan plan = scene.Reconcile();
  EXPECT_THAT(OperationIds(plan), ElementsAre("apply deployments.apps default/new",
                                              "delete deployments.apps default/old"));
  EXPECT_TRUE(Deployment(scene, "old").is_null());
  EXPECT_THAT(scene.world.events, ElementsAre("Normal Created Created deployment \"old\"",
                                              "Normal Created Created deployment \"new\"",
                                              "Normal Deleted Deleted deployment \"old\""));
  EXPECT_EQ(scene.Converge(), 0);
}

TEST(IrisRename, RenamedToATakenNameKeepsTheOldDeployment) {
  Scene scene = Iris(R"({"deploymentName": "old"})");
  scene.Converge();
  scene.world.Put(DeploymentType(), {{"metadata", {{"name", "taken"}}}});
  ChangeSpec(scene, "deploymentName", "taken");
  scene.Reconcile();
  scene.Reconcile();
  EXPECT_FALSE(Deployment(scene, "old").is_null());
  EXPECT_EQ(scene.ConditionOf("Ready"), "False NameConflict");
}

TEST(IrisRename, GivesItsOldNameUpFirstIfOthersWaitForItInACycle) {
  Scene scene = Iris(R"({"deploymentName": "old"})");
  scene.Converge();
  ChangeSpec(scene, "deploymentName", "new");
  const auto plan_releasing = [&](const std::string& name) {
    KindRegistry kinds;
    kinds.Register(scene.kind);
    Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
    observation.release = {scene.Ref(DeploymentType(), name)};
    return MakePlan(observation, kinds);
  };
  const Plan plan = plan_releasing("old");
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(plan.stages[0].name, "release");
  EXPECT_THAT(OperationIds(plan), ElementsAre("delete deployments.apps default/old",
                                              "apply deployments.apps default/new"));
  EXPECT_FALSE(plan.stages[0].operations[0].precondition.uid.empty());
  EXPECT_THAT(
      OperationIds(plan_releasing("other")),
      ElementsAre("apply deployments.apps default/new", "delete deployments.apps default/old"));
  ChangeSpec(scene, "deploymentName", "old");
  EXPECT_THAT(OperationIds(plan_releasing("old")), IsEmpty()) << "it keeps what it wants itself";
}

}  // namespace
}  // namespace xebec::planner
