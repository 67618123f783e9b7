// SPDX-License-Identifier: Apache-2.0
#include "planner/core/going_namespace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "planner/core/testing/scripted_scene.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::OperationIds;
using testing::Scene;
using testing::Scripted;
using ::testing::StartsWith;

constexpr const char* kThreeChildren = R"({"children": [
    {"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}},
    {"kind": "ConfigMap", "object": {"metadata": {"name": "b"}}},
    {"kind": "ConfigMap", "object": {"metadata": {"name": "c"}}}]})";
const absl::Duration kAlmost = kNamespacePause - absl::Seconds(1);

void SetNamespaceGoing(bool going, Scene* scene) {
  scene->world.refusals.clear();
  if (!going) return;
  for (const char* name : {"a", "b", "c", "d"}) {
    scene->world.refusals[std::string("apply configmaps default/") + name] =
        OutcomeCode::kNamespaceTerminating;
  }
}

// A scene whose first plan was refused.
Scene Refused(Kind kind = testing::ScriptedKind()) {
  Scene scene = Scripted(kThreeChildren, std::move(kind));
  SetNamespaceGoing(true, &scene);
  EXPECT_GE(CountOperations(scene.Reconcile()), 3u);
  return scene;
}

TEST(GoingNamespace, IsLeftAloneUntilThePauseIsOver) {
  Scene scene = Refused();
  scene.world.now += kAlmost;
  const Plan plan = scene.Ask();
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_EQ(plan.resync_after, absl::Seconds(1));
  EXPECT_THAT(plan.notes, ElementsAre(StartsWith("the namespace is being deleted")));
}

TEST(GoingNamespace, IsTriedWithOneOperationAfterEachPause) {
  Scene scene = Refused();
  for (int i = 0; i < 3; ++i) {
    scene.world.now += kNamespacePause;
    const Plan plan = scene.Reconcile();
    EXPECT_THAT(OperationIds(plan), ElementsAre("apply configmaps default/a"));
    EXPECT_FALSE(plan.status.has_value());
    EXPECT_FALSE(plan.complete);
    EXPECT_TRUE(WritesNothing(scene.Reconcile()));
  }
  EXPECT_THAT(scene.world.events, IsEmpty());
}

TEST(GoingNamespace, IsPlannedInFullOnceTheAttemptSucceeds) {
  Scene scene = Refused();
  SetNamespaceGoing(false, &scene);
  scene.world.now += kNamespacePause;
  EXPECT_THAT(OperationIds(scene.Reconcile()), ElementsAre("apply configmaps default/a"));
  scene.world.now += absl::Seconds(1);
  EXPECT_THAT(OperationIds(scene.Reconcile()),
              ElementsAre("apply configmaps default/b", "apply configmaps default/c"));
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "True AsDesired");
  EXPECT_EQ(scene.ConditionOf("Applied"), "True Applied");
  EXPECT_THAT(scene.world.events, Not(::testing::Contains(StartsWith("Warning"))));
}

TEST(GoingNamespace, AnAttemptKeepsTheStagesBeforeTheOperation) {
  Scene scene = Refused(testing::ScriptedKindWithFinalizer());
  scene.world.Edit(scene.parent, [](Json& parent) { parent["metadata"].erase("finalizers"); });
  scene.world.now += kNamespacePause;
  const Plan plan = scene.Ask();
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(plan.stages[0].name, "finalizer");
  EXPECT_EQ(plan.stages[1].operations.size(), 1u);
}

TEST(GoingNamespace, DoesNotSilenceAParentThatWantsOtherChildrenNow) {
  Scene scene = Refused();
  SetNamespaceGoing(false, &scene);
  scene.world.Edit(scene.parent, [](Json& parent) {
    parent["spec"] = *ParseJson(
        R"({"children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "d"}}}]})");
  });
  EXPECT_TRUE(WritesNothing(scene.Ask()));
  scene.world.now += kNamespacePause;
  const Plan plan = scene.Reconcile();
  EXPECT_THAT(OperationIds(plan), ElementsAre("apply configmaps default/d"));
  EXPECT_TRUE(plan.status.has_value());
}

TEST(GoingNamespace, ClockThatWentBackWaitsNoLongerThanOnePause) {
  Scene scene = Refused();
  scene.world.now -= absl::Hours(5);
  EXPECT_EQ(scene.Ask().resync_after, kNamespacePause);
}

TEST(GoingNamespace, WithoutTimesNothingIsTried) {
  Scene scene = Refused();
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  for (Outcome& each : observation.last_outcomes) each.at = absl::InfinitePast();
  KindRegistry registry;
  registry.Register(scene.kind);
  const Plan plan = MakePlan(observation, registry);
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.resync_after.has_value());
}

}  // namespace
}  // namespace xebec::planner
