// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "planner/core/field_manager_conflict.h"
#include "planner/core/testing/scripted_scene.h"

namespace xebec::planner {
namespace {

using testing::kOneChild;
using testing::Scene;
using testing::Scripted;

// Scene::Reconcile checks that the next plan writes nothing.
TEST(CoversWrites, OfAPlanWithAppliesIfTheKindDoes) {
  Scene scene = Scripted(kOneChild);
  EXPECT_TRUE(scene.Reconcile().covers_writes);
  EXPECT_FALSE(scene.Reconcile().covers_writes) << "no operation";
  scene.world.Edit(scene.Ref(testing::ScriptedConfigMap(), "a"),
                   [](Json& live) { live["data"]["x"] = "2"; });
  EXPECT_TRUE(scene.Reconcile().covers_writes);
}

TEST(CoversWrites, NotWithAFinalizerOrALaterStage) {
  Scene scene(testing::ScriptedKindWithFinalizer(),
              {{"metadata", {{"name", "p"}}}, {"spec", *ParseJson(kOneChild)}});
  EXPECT_FALSE(scene.Reconcile().covers_writes);
  scene = Scripted(R"({"children": [
      {"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}},
      {"kind": "ConfigMap", "object": {"metadata": {"name": "b"}}, "stage": 1}]})");
  EXPECT_FALSE(scene.Reconcile().covers_writes);
}

TEST(CoversWrites, NotWithASecret) {
  Scene scene = Scripted(R"({"secrets": [{"name": "s", "keys": ["password"]}]})");
  EXPECT_FALSE(scene.Reconcile().covers_writes);
}

TEST(CoversWrites, NotIfConditionsShowTheOutcomes) {
  Scene scene = Scripted(kOneChild);
  scene.world.refusals["apply configmaps default/a"] = OutcomeCode::kForbidden;
  EXPECT_TRUE(scene.Reconcile().covers_writes);
  EXPECT_FALSE(scene.Ask().covers_writes) << "the failure is shown";
  scene.world.refusals.clear();
  scene.Converge();
  for (uint32_t repeats = 1; repeats <= kConflictAfter; ++repeats) {
    scene.world.Edit(scene.Ref(testing::ScriptedConfigMap(), "a"),
                     [](Json& live) { live["data"]["x"] = "2"; });
    EXPECT_EQ(scene.Reconcile().covers_writes, repeats < kConflictAfter) << repeats;
  }
  EXPECT_EQ(scene.ConditionOf("FieldManagerConflict"), "");
  scene.Reconcile();
  EXPECT_EQ(scene.ConditionOf("FieldManagerConflict"), "True FieldManagerConflict");
}

}  // namespace
}  // namespace xebec::planner
