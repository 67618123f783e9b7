// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/core/testing/scripted_scene.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Scene;
using testing::Scripted;

constexpr const char* kSpec = R"({
    "children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}, "data": {"x": "1"}}}],
    "status": {"count": 1}, "conditions": [{"type": "Ready", "status": "False", "reason": "Waiting"}]})";

void Pause(Scene& scene, bool paused) {
  scene.world.Edit(scene.parent, [&](Json& parent) {
    parent["metadata"]["annotations"]["xebec.dev/paused"] = paused ? "true" : "false";
  });
}

TEST(Paused, NothingIsWrittenButTheCondition) {
  Scene scene = Scripted(kSpec);
  scene.Converge();
  Pause(scene, true);
  scene.world.Edit(scene.Ref(testing::ScriptedConfigMap(), "a"),
                   [](Json& live) { live["data"]["x"] = "drift"; });
  scene.world.Edit(scene.parent, [](Json& parent) { parent["spec"]["status"]["count"] = 2; });
  const Json before = scene.Parent()["status"];
  const Plan plan = scene.Reconcile();
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_EQ(plan.verdict, Verdict::kOk);
  EXPECT_EQ(scene.ConditionOf("Paused"), "True Paused");
  EXPECT_EQ(scene.ConditionOf("Applied"), "False Paused");
  const Json after = scene.Parent()["status"];
  EXPECT_EQ(after["count"], 1);
  EXPECT_EQ(after["observedGeneration"], before["observedGeneration"]);
  EXPECT_EQ(after["conditions"][0], before["conditions"][0]);
  EXPECT_EQ(scene.Converge(), 0);
}

TEST(Paused, NewParentGetsTheConditionAlone) {
  Scene scene = Scripted(kSpec);
  Pause(scene, true);
  scene.Converge();
  EXPECT_THAT(scene.world.List("ConfigMap"), IsEmpty());
  EXPECT_EQ(scene.ConditionOf("Paused"), "True Paused");
  EXPECT_EQ(scene.ConditionOf("Ready"), "");
}

TEST(Paused, GoesOnWhenTheAnnotationIsTakenAway) {
  Scene scene = Scripted(kSpec);
  Pause(scene, true);
  scene.Converge();
  Pause(scene, false);
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Paused"), "");
  EXPECT_EQ(scene.ConditionOf("Applied"), "True Applied");
  EXPECT_EQ(scene.world.List("ConfigMap").size(), 1u);
}

TEST(Paused, DeletionGoesOn) {
  Scene scene = Scripted(kSpec, testing::ScriptedKindWithFinalizer());
  scene.Converge();
  Pause(scene, true);
  scene.world.Delete(scene.parent);
  scene.Converge();
  EXPECT_EQ(scene.world.Get(scene.parent), nullptr);
  EXPECT_THAT(scene.world.List("ConfigMap"), IsEmpty());
}

TEST(InvalidSpec, TouchesNoChildAndSaysWhyOnce) {
  Scene scene = Scripted(kSpec);
  scene.Converge();
  scene.world.Edit(scene.parent, [](Json& parent) {
    parent["spec"]["invalid"] = "spec.count must be odd";
    parent["spec"]["children"] = Json::array();
  });
  scene.world.events.clear();
  const Plan plan = scene.Reconcile();
  EXPECT_EQ(plan.verdict, Verdict::kInvalid);
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_THAT(plan.notes, ElementsAre("spec.count must be odd"));
  EXPECT_EQ(scene.ConditionOf("Ready"), "False InvalidSpec");
  EXPECT_EQ(scene.ConditionOf("Stalled"), "True InvalidSpec");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "");
  EXPECT_EQ(scene.ConditionOf("Applied"), "False InvalidSpec");
  EXPECT_EQ(scene.MessageOf("Ready"), "spec.count must be odd");
  EXPECT_THAT(scene.world.events, ElementsAre("Warning InvalidSpec spec.count must be odd"));
  EXPECT_EQ(scene.Parent()["status"]["observedGeneration"], 2);
  EXPECT_EQ(scene.Converge(), 0);
  EXPECT_EQ(scene.world.List("ConfigMap").size(), 1u);
}

TEST(InvalidSpec, HealsWithTheSpec) {
  Scene scene = Scripted(R"({"invalid": "no"})");
  scene.Converge();
  scene.world.Edit(scene.parent, [](Json& parent) { parent["spec"] = *ParseJson(kSpec); });
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Waiting");
  EXPECT_EQ(scene.ConditionOf("Stalled"), "");
}

TEST(InvalidSpec, AddsNoFinalizer) {
  Scene scene = Scripted(R"({"invalid": "no"})", testing::ScriptedKindWithFinalizer());
  EXPECT_EQ(CountOperations(scene.Ask()), 0u);
}

}  // namespace
}  // namespace xebec::planner
