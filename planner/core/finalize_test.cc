// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/core/testing/probe.h"
#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::Scene;

const ResourceType kClaims{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", false};

// An idle Probe with two claims, as a StatefulSet creates them.
Scene ProbeWithClaims() {
  Scene scene(ProbeKind(), {{"metadata", {{"name", "p"}}}, {"spec", {{"replicas", 2}}}});
  scene.Converge();
  const std::string uid = scene.Parent()["metadata"]["uid"];
  for (const char* name : {"data-p-set-0", "data-p-set-1"}) {
    const Json labels = {{std::string(kProbeLabel), "p"}, {std::string(kProbeUidLabel), uid}};
    scene.world.Put(kClaims, {{"metadata", {{"name", name}, {"labels", labels}}}});
  }
  scene.Converge();
  return scene;
}

TEST(Finalize, KindWithoutFinalizerWritesNothingAtAll) {
  Scene scene(testing::ScriptedKind(),
              *ParseJson(R"({"metadata": {"name": "p", "finalizers": ["x"]},
      "spec": {"children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}}]}})"));
  scene.world.Delete(scene.parent);
  const Plan plan = scene.Ask();
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_THAT(plan.live_lists, IsEmpty());
}

TEST(Finalize, ParentThatLostOurFinalizerIsLeftAlone) {
  Scene scene(testing::ScriptedKindWithFinalizer(),
              *ParseJson(R"({"metadata": {"name": "p", "finalizers": ["x"]}, "spec": {}})"));
  scene.world.Delete(scene.parent);
  EXPECT_TRUE(WritesNothing(scene.Ask()));
}

TEST(Finalize, NothingIsCreated) {
  Scene scene(testing::ScriptedKindWithFinalizer(),
              *ParseJson(R"({"metadata": {"name": "p", "finalizers": ["test/scripted"]}, "spec": {
      "children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}}],
      "secrets": [{"name": "s"}]}})"));
  scene.world.Delete(scene.parent);
  scene.Converge();
  EXPECT_THAT(scene.world.List("ConfigMap"), IsEmpty());
  EXPECT_THAT(scene.world.List("Secret"), IsEmpty());
  EXPECT_EQ(scene.world.Get(scene.parent), nullptr);
}

TEST(Finalize, ObjectsGoInTheOrderOfTheirStages) {
  Scene scene = ProbeWithClaims();
  scene.world.writes.clear();
  scene.world.Delete(scene.parent);
  scene.Converge();
  EXPECT_EQ(scene.world.Get(scene.parent), nullptr);
  std::vector<std::string> operations;
  for (const std::string& write : scene.world.writes) {
    if (write != kStatusOperation) operations.push_back(write);
  }
  EXPECT_THAT(operations, ElementsAre("delete statefulsets.apps default/p-set",
                                      "delete persistentvolumeclaims default/data-p-set-0",
                                      "delete persistentvolumeclaims default/data-p-set-1",
                                      "delete configmaps default/p-direct",
                                      "remove-finalizer probes.test.xebec.dev default/p"));
}

TEST(Finalize, StageWaitsUntilTheOneBeforeIsGone) {
  Scene scene = ProbeWithClaims();
  scene.world.Delete(scene.parent);
  scene.world.linger = true;
  EXPECT_THAT(OperationIds(scene.Reconcile()),
              ElementsAre("delete statefulsets.apps default/p-set"));
  EXPECT_THAT(OperationIds(scene.Reconcile()), IsEmpty());
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Deleting");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "True Progressing");
  EXPECT_THAT(scene.MessageOf("Ready"), HasSubstr("StatefulSet default/p-set"));
  scene.world.Finish(scene.Ref({"apps", "v1", "StatefulSet", "statefulsets", false}, "p-set"));
  EXPECT_EQ(OperationIds(scene.Reconcile()).size(), 2u);
}

TEST(Finalize, ClaimOfAnotherProbeOfTheSameNameStays) {
  Scene scene = ProbeWithClaims();
  const Json labels = {{std::string(kProbeLabel), "p"}, {std::string(kProbeUidLabel), "former"}};
  const ObjectRef foreign =
      scene.world.Put(kClaims, {{"metadata", {{"name", "foreign"}, {"labels", labels}}}});
  scene.world.Delete(scene.parent);
  scene.Converge();
  EXPECT_EQ(scene.world.Get(scene.parent), nullptr);
  EXPECT_NE(scene.world.Get(foreign), nullptr);
}

TEST(Finalize, FinalizerGoesOnlyAfterLiveListsThatAreEmpty) {
  Scene scene(ProbeKind(), *ParseJson(R"({"metadata": {"name": "p",
      "finalizers": ["test.xebec.dev/probe", "other"]}, "spec": {}})"));
  scene.world.Delete(scene.parent);
  const Plan cached = scene.Ask();
  EXPECT_THAT(OperationIds(cached), IsEmpty());
  EXPECT_EQ(cached.live_lists.size(), 3u);
  const Plan live = scene.Ask(/*live=*/true);
  ASSERT_THAT(OperationIds(live), ElementsAre("remove-finalizer probes.test.xebec.dev default/p"));
  const Operation& remove = live.stages[0].operations[0];
  EXPECT_EQ(remove.precondition.uid, scene.Parent()["metadata"]["uid"]);
  EXPECT_EQ(remove.precondition.resource_version, scene.Parent()["metadata"]["resourceVersion"]);
  EXPECT_FALSE(live.status->changed);
  EXPECT_THAT(live.live_lists, IsEmpty());
}

TEST(Finalize, KindsThatAreOnlyReadDoNotHoldTheFinalizer) {
  Kind kind = testing::ScriptedKindWithFinalizer();
  ChildRule pods;
  pods.type = {"", "v1", "Pod", "pods", false};
  pods.parent_label = "test/scripted";
  kind.description.children.push_back(pods);
  Scene scene(kind, *ParseJson(R"({"metadata": {"name": "p", "finalizers": ["test/scripted"]}})"));
  scene.world.Delete(scene.parent);
  EXPECT_THAT(scene.Ask().live_lists,
              ElementsAre(testing::ScriptedConfigMap(), testing::ScriptedDeployment(),
                          testing::ScriptedClaim()));
  Observation observation =
      scene.world.Observe(scene.parent, scene.kind.description, /*live=*/true);
  observation.children.pop_back();  // the watcher may not list Pods
  KindRegistry registry;
  registry.Register(scene.kind);
  const Plan plan = MakePlan(observation, registry);
  EXPECT_THAT(plan.live_lists, IsEmpty());
  EXPECT_THAT(OperationIds(plan), ElementsAre("remove-finalizer scripteds.test.example default/p"));
}

TEST(Finalize, AWatcherThatKnowsNoLiveListsIsAskedForNone) {
  Scene scene(ProbeKind(), *ParseJson(R"({"metadata": {"name": "p",
      "finalizers": ["test.xebec.dev/probe"]}, "spec": {}})"));
  scene.world.Delete(scene.parent);
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.capabilities.live_list = false;
  KindRegistry registry;
  registry.Register(scene.kind);
  const Plan plan = MakePlan(observation, registry);
  EXPECT_THAT(plan.live_lists, IsEmpty());
  EXPECT_EQ(plan.verdict, Verdict::kRetry);
  EXPECT_FALSE(plan.complete);
  EXPECT_THAT(plan.notes, ElementsAre(::testing::HasSubstr("live lists")));
}

TEST(Finalize, OneGroupThatIsNotLiveKeepsTheFinalizer) {
  Scene scene(ProbeKind(), *ParseJson(R"({"metadata": {"name": "p",
      "finalizers": ["test.xebec.dev/probe"]}, "spec": {}})"));
  scene.world.Delete(scene.parent);
  for (size_t group = 0; group < 3; ++group) {
    Observation observation = scene.world.Observe(scene.parent, scene.kind.description, true);
    observation.children[group].live = false;
    KindRegistry registry;
    registry.Register(scene.kind);
    EXPECT_THAT(OperationIds(MakePlan(observation, registry)), IsEmpty()) << group;
    observation.children.erase(observation.children.begin() + static_cast<long>(group));
    EXPECT_THAT(OperationIds(MakePlan(observation, registry)), IsEmpty()) << group;
  }
}

TEST(Finalize, WhatTheLiveListStillShowsIsDeletedFirst) {
  Scene scene = ProbeWithClaims();
  scene.world.Delete(scene.parent);
  EXPECT_THAT(OperationIds(scene.Ask(/*live=*/true)),
              ElementsAre("delete statefulsets.apps default/p-set"));
}

TEST(Finalize, ChildrenThatTheDeletionAsksToOrphanAreLeftToTheGarbageCollector) {
  Scene scene = ProbeWithClaims();
  scene.world.Edit(scene.parent,
                   [](Json& probe) { probe["metadata"]["finalizers"].push_back("orphan"); });
  scene.world.Delete(scene.parent);
  EXPECT_TRUE(WritesNothing(scene.Ask()));
}

TEST(Finalize, ChildThatWasOrphanedSinceItWasSeenIsNotDeleted) {
  Scene scene(ProbeKind(), {{"metadata", {{"name", "p"}}}, {"spec", {{"replicas", 0}}}});
  scene.Converge();
  scene.world.Delete(scene.parent);
  scene.world.Delete(scene.world.List("StatefulSet").front());
  const Plan plan = scene.Ask();
  EXPECT_THAT(OperationIds(plan), ElementsAre("delete configmaps default/p-direct"));
  scene.world.Edit(scene.world.List("ConfigMap").front(),
                   [](Json& map) { map["metadata"].erase("ownerReferences"); });
  scene.world.Carry(plan);
  EXPECT_EQ(scene.world.List("ConfigMap").size(), 1U);
  scene.Converge();
  EXPECT_EQ(scene.world.Get(scene.parent), nullptr);
  EXPECT_EQ(scene.world.List("ConfigMap").size(), 1U);
}

TEST(Finalize, DirectlyOwnedObjectThatTheKindForgotGoesFirst) {
  Scene scene(testing::ScriptedKindWithFinalizer(),
              *ParseJson(R"({"metadata": {"name": "p"}, "spec": {
      "children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}},
                   {"kind": "ConfigMap", "object": {"metadata": {"name": "b"}}}],
      "toDeleteAtEnd": [{"kind": "ConfigMap", "name": "a", "stage": 1}]}})"));
  scene.Converge();
  scene.world.Delete(scene.parent);
  EXPECT_THAT(OperationIds(scene.Reconcile()), ElementsAre("delete configmaps default/b"));
  EXPECT_THAT(OperationIds(scene.Reconcile()), ElementsAre("delete configmaps default/a"));
}

TEST(Finalize, RefusedDeletionIsShown) {
  Scene scene = ProbeWithClaims();
  scene.world.Delete(scene.parent);
  scene.world.refusals["delete statefulsets.apps default/p-set"] = OutcomeCode::kForbidden;
  scene.Reconcile();
  scene.Reconcile();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Rejected");
}

TEST(Finalize, TerminatingNamespaceDoesNotHoldTheFinalizer) {
  Scene scene(ProbeKind(), {{"metadata", {{"name", "p"}}}, {"spec", Json::object()}});
  scene.world.refusals["apply configmaps default/p-direct"] = OutcomeCode::kNamespaceTerminating;
  scene.Reconcile();
  scene.world.Delete(scene.parent);
  scene.Converge();
  EXPECT_EQ(scene.world.Get(scene.parent), nullptr);
}

}  // namespace
}  // namespace xebec::planner
