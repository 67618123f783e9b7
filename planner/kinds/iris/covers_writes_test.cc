// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "planner/kinds/resources.h"
#include "planner/kinds/testing/iris_scene.h"

namespace xebec::planner {
namespace {

using testing::ChangeSpec;
using ::testing::ElementsAre;
using testing::Iris;
using testing::OperationIds;
using testing::Scene;

void EditDeployment(Scene& scene, const std::function<void(Json&)>& edit) {
  scene.world.Edit(scene.Ref(DeploymentType(), "sample"), edit);
}

// Plays the Deployment controller, and shows that in the Iris.
void Roll(Scene& scene) {
  EditDeployment(scene, [&](Json& deployment) {
    const Json& replicas = deployment["spec"]["replicas"];
    deployment["status"] = {{"replicas", replicas},
                            {"updatedReplicas", replicas},
                            {"readyReplicas", replicas},
                            {"observedGeneration", deployment["metadata"]["generation"]}};
  });
  scene.Converge();
}

// Scene::Reconcile checks that the next plan writes nothing.
TEST(IrisCoversWrites, ThatGiveTheDeploymentANewGeneration) {
  Scene scene = Iris(R"({"replicas": 2})");
  EXPECT_TRUE(scene.Reconcile().covers_writes) << "created";
  Roll(scene);
  EXPECT_FALSE(scene.Reconcile().covers_writes) << "no operation";
  ChangeSpec(scene, "replicas", 3);
  EXPECT_TRUE(scene.Reconcile().covers_writes) << "scaled";
  Roll(scene);
  ChangeSpec(scene, "image", "other");
  EXPECT_TRUE(scene.Reconcile().covers_writes) << "rolled out";
}

TEST(IrisCoversWrites, NotIfTheGenerationStays) {
  Scene scene = Iris("{}");
  scene.Converge();
  Roll(scene);
  EditDeployment(scene, [](Json& deployment) {
    deployment["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = false;
  });
  const Plan plan = scene.Reconcile();
  EXPECT_THAT(OperationIds(plan), ElementsAre("apply deployments.apps default/sample"));
  EXPECT_FALSE(plan.covers_writes);
}

TEST(IrisCoversWrites, NotBeforeADeletion) {
  Scene scene = Iris("{}");
  scene.Converge();
  ChangeSpec(scene, "deploymentName", "other");
  EXPECT_FALSE(scene.Reconcile().covers_writes);
}

}  // namespace
}  // namespace xebec::planner
