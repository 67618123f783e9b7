// SPDX-License-Identifier: Apache-2.0
// A Deployment to which a user adds an Iris as its controller.
#include <gtest/gtest.h>

#include <string>

#include "planner/kinds/resources.h"
#include "planner/kinds/testing/iris_scene.h"

namespace xebec::planner {
namespace {

using testing::ChangeSpec;
using testing::Iris;
using testing::Scene;

Json Deployment(const Scene& scene, const std::string& name) {
  const Json* object = scene.world.Get(scene.Ref(DeploymentType(), name));
  return object == nullptr ? Json() : *object;
}

// A user's Deployment with the Iris as its controller.
Json Assign(Scene& scene, const std::string& name) {
  const Json owner = {{"apiVersion", "example.com/v1alpha1"},
                      {"kind", "Iris"},
                      {"name", "sample"},
                      {"uid", scene.Parent()["metadata"]["uid"]},
                      {"controller", true}};
  Json theirs = *ParseJson(R"({"spec": {"replicas": 1,
      "selector": {"matchLabels": {"app": "web"}},
      "template": {"metadata": {"labels": {"app": "web"}},
                   "spec": {"containers": [{"name": "iris", "image": "old"}]}}}})");
  theirs["metadata"] = {{"name", name}, {"ownerReferences", Json::array({owner})}};
  scene.world.Put(DeploymentType(), theirs);
  return theirs;
}

TEST(IrisAssigned, UnderAnotherNameIsLeftAlone) {
  Scene scene = Iris(R"({"deploymentName": "web"})");
  scene.Converge();
  Assign(scene, "legacy");
  EXPECT_EQ(scene.Converge(), 0);
  EXPECT_FALSE(Deployment(scene, "legacy").is_null());
}

TEST(IrisAssigned, IsAFormerOneAfterARename) {
  Scene scene = Iris(R"({"deploymentName": "web"})");
  Assign(scene, "web");
  scene.Converge();
  ChangeSpec(scene, "deploymentName", "new");
  scene.Converge();
  EXPECT_TRUE(Deployment(scene, "web").is_null());
}

TEST(IrisAssigned, KeepsItsSelector) {
  Scene scene = Iris(R"({"deploymentName": "web"})");
  const Json theirs = Assign(scene, "web");
  scene.Converge();
  const Json taken = Deployment(scene, "web");
  EXPECT_EQ(taken["spec"]["selector"], theirs["spec"]["selector"]);
  EXPECT_EQ(taken["spec"]["template"]["metadata"]["labels"]["app"], "web");
  EXPECT_EQ(taken["spec"]["template"]["metadata"]["labels"]["xebec.dev/parent"], "sample")
      << "with the image, which replaces the Pods anyway";
  EXPECT_EQ(scene.Parent()["status"]["selector"], "app=web");
  EXPECT_EQ(scene.Converge(), 0);
}

}  // namespace
}  // namespace xebec::planner
