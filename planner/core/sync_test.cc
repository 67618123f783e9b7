// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/core/field_manager_conflict.h"
#include "planner/core/testing/scripted_scene.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kOneChild;
using ::testing::Not;
using testing::OperationIds;
using testing::Scene;
using testing::Scripted;

void SetSpec(Scene& scene, std::string_view spec) {
  scene.world.Edit(scene.parent, [&](Json& parent) { parent["spec"] = *ParseJson(spec); });
}

std::vector<Intent> Intents(const Plan& plan) {
  std::vector<Intent> intents;
  for (const ChildIntent& each : plan.children) intents.push_back(each.intent);
  return intents;
}

TEST(PlanSync, AbsentChildIsCreatedOnlyIfTheNameIsFree) {
  const Plan plan = Scripted(kOneChild).Ask();
  ASSERT_EQ(CountOperations(plan), 1u);
  const Operation& operation = plan.stages[0].operations[0];
  EXPECT_TRUE(operation.precondition.absent);
  EXPECT_EQ(operation.precondition.uid, "");
  EXPECT_EQ(operation.observed_version, "");
  ASSERT_EQ(operation.events.size(), 1u);
  EXPECT_EQ(operation.events[0].condition, EventCondition::kCreated);
  EXPECT_TRUE(plan.complete);
  EXPECT_THAT(Intents(plan), ElementsAre(Intent::kEnsure));
}

TEST(PlanSync, ChangedChildIsAppliedByItsUid) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  const ObjectRef a = scene.Ref(testing::ScriptedConfigMap(), "a");
  scene.world.Edit(a, [](Json& live) { live["data"]["x"] = "2"; });
  const Plan plan = scene.Ask();
  ASSERT_EQ(CountOperations(plan), 1u);
  const Operation& operation = plan.stages[0].operations[0];
  const Json& live = *scene.world.Get(a);
  EXPECT_FALSE(operation.precondition.absent);
  EXPECT_EQ(operation.precondition.uid, live["metadata"]["uid"]);
  EXPECT_EQ(operation.precondition.resource_version, "");
  EXPECT_EQ(operation.observed_version, live["metadata"]["resourceVersion"]);
  EXPECT_EQ(operation.events[0].condition, EventCondition::kChanged);
  EXPECT_EQ(plan.children[0].reason, "data.x differs");
}

TEST(PlanSync, WhenIdleNothingIsWritten) {
  Scene scene = Scripted(kOneChild);
  EXPECT_EQ(scene.Converge(), 1);
  EXPECT_TRUE(WritesNothing(scene.Ask()));
}

TEST(PlanSync, IndirectlyOwnedChildIsChangedByItsVersionToo) {
  Scene scene = Scripted(
      R"({"children": [{"kind": "Claim", "object": {"metadata": {"name": "c"}, "spec": {"size": 2}}}]})");
  scene.world.Put(testing::ScriptedClaim(),
                  {{"metadata", {{"name", "c"}, {"labels", {{"test/scripted", "p"}}}}},
                   {"spec", {{"size", 1}}}});
  const Plan plan = scene.Ask();
  ASSERT_EQ(CountOperations(plan), 1u);
  EXPECT_NE(plan.stages[0].operations[0].precondition.resource_version, "");
}

TEST(PlanSync, TerminatingChildIsWaitedFor) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  scene.world.linger = true;
  const ObjectRef a = scene.Ref(testing::ScriptedConfigMap(), "a");
  scene.world.Delete(a);
  const Plan plan = scene.Reconcile();
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_THAT(Intents(plan), ElementsAre(Intent::kEnsure));
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Terminating");
  EXPECT_EQ(scene.ConditionOf("Applied"), "False Terminating");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "True ProgressingWithRetry");
  EXPECT_EQ(scene.Converge(), 0);
  scene.world.Finish(a);
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "True AsDesired");
  EXPECT_NE(scene.world.Get(a), nullptr);
}

constexpr const char* kStaged = R"({
    "children": [{"kind": "Deployment", "stage": 2, "object": {"metadata": {"name": "late"}}},
                 {"kind": "ConfigMap", "stage": 0, "object": {"metadata": {"name": "early"}}}],
    "secrets": [{"name": "password", "keys": ["k"], "stage": 1}]})";

TEST(PlanSync, StagesFollowTheirNumbers) {
  const Plan plan = Scripted(kStaged).Ask();
  EXPECT_THAT(OperationIds(plan), ElementsAre("apply configmaps default/early",
                                              "ensure-secret secrets default/password",
                                              "apply deployments.apps default/late"));
  EXPECT_EQ(plan.stages.size(), 3u);
}

TEST(PlanSync, ChildThatWaitsHoldsUpHigherStages) {
  Scene scene = Scripted(kStaged);
  scene.world.linger = true;
  Json owner = {{"uid", scene.Parent()["metadata"]["uid"]}, {"controller", true}};
  const ObjectRef early = scene.world.Put(
      testing::ScriptedConfigMap(),
      {{"metadata", {{"name", "early"}, {"ownerReferences", Json::array({owner})}}}});
  scene.world.Delete(early);
  const Plan plan = scene.Ask();
  EXPECT_THAT(OperationIds(plan), IsEmpty());
  EXPECT_EQ(plan.children.size(), 3u);
}

TEST(PlanSync, ChildToDeleteIsDeletedByItsUid) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  SetSpec(
      scene,
      R"({"toDelete": [{"kind": "ConfigMap", "name": "a"}, {"kind": "ConfigMap", "name": "none"}]})");
  const Plan plan = scene.Ask();
  EXPECT_THAT(OperationIds(plan), ElementsAre("delete configmaps default/a"));
  EXPECT_NE(plan.stages[0].operations[0].precondition.uid, "");
  EXPECT_EQ(plan.stages[0].operations[0].precondition.resource_version, "");
  EXPECT_EQ(plan.stages[0].name, "delete");
  EXPECT_THAT(Intents(plan), ElementsAre(Intent::kDelete));
}

TEST(PlanSync, StatefulChildIsDeletedByItsVersionToo) {
  Scene scene = Scripted(R"({"toDelete": [{"kind": "Claim", "name": "c"}]})");
  scene.world.Put(testing::ScriptedClaim(),
                  {{"metadata", {{"name", "c"}, {"labels", {{"test/scripted", "p"}}}}}});
  const Plan plan = scene.Ask();
  ASSERT_EQ(CountOperations(plan), 1u);
  EXPECT_NE(plan.stages[0].operations[0].precondition.resource_version, "");
}

TEST(PlanSync, ChildThatIsNotMentionedIsKept) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  SetSpec(scene, "{}");
  const Plan plan = scene.Ask();
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_THAT(Intents(plan), ElementsAre(Intent::kKeep));
}

TEST(PlanSync, DesiredChildToDeleteIsReplaced) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  const ObjectRef a = scene.Ref(testing::ScriptedConfigMap(), "a");
  const Json old = *scene.world.Get(a);
  scene.world.Edit(scene.parent, [](Json& parent) {
    parent["spec"]["toDelete"] = Json::array({{{"kind", "ConfigMap"}, {"name", "a"}}});
  });
  EXPECT_THAT(OperationIds(scene.Reconcile()), ElementsAre("delete configmaps default/a"));
  EXPECT_THAT(OperationIds(scene.Reconcile()), ElementsAre("apply configmaps default/a"));
  EXPECT_NE((*scene.world.Get(a))["metadata"]["uid"], old["metadata"]["uid"]);
}

TEST(PlanSync, KindsThatAreNotDeclaredAreNeverWritten) {
  const Plan plan =
      Scripted(R"({"children": [{"kind": "Node", "object": {"metadata": {"name": "a"}}}]})").Ask();
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_FALSE(plan.complete);
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("scripted declares no children of kind Node")));
}

TEST(PlanSync, NameThatNoServerTakesIsAnInvalidSpec) {
  for (const char* name : {"", "Upper", "a/b", "-a"}) {
    Scene scene = Scripted(std::string(R"({"children": [{"kind": "ConfigMap",
        "object": {"metadata": {"name": ")") +
                           name + R"("}}}]})");
    const Plan plan = scene.Reconcile();
    EXPECT_EQ(plan.verdict, Verdict::kInvalid) << name;
    EXPECT_EQ(CountOperations(plan), 0u) << name;
    EXPECT_EQ(scene.ConditionOf("Ready"), "False InvalidSpec") << name;
  }
}

TEST(PlanSync, FinalizerComesFirst) {
  Scene scene(testing::ScriptedKindWithFinalizer(),
              {{"metadata", {{"name", "p"}}}, {"spec", *ParseJson(kOneChild)}});
  const Plan plan = scene.Ask();
  EXPECT_EQ(plan.stages[0].name, "finalizer");
  const Operation& add = plan.stages[0].operations[0];
  EXPECT_EQ(std::get<AddFinalizer>(add.action).finalizer, "test/scripted");
  EXPECT_EQ(add.precondition.uid, scene.Parent()["metadata"]["uid"]);
  EXPECT_EQ(add.precondition.resource_version, scene.Parent()["metadata"]["resourceVersion"]);
  scene.Reconcile();
  EXPECT_EQ(CountOperations(scene.Ask()), 0u);
}

TEST(PlanSync, RewritingWebhookCostsOneWriteAndOneCondition) {
  Scene scene = Scripted(kOneChild);
  scene.world.webhook = [](const ObjectRef&, Json& object) { object["data"]["x"] = "webhook"; };
  EXPECT_LE(scene.Converge(), 2);
  EXPECT_EQ(scene.ConditionOf("Rewritten"), "True StoredDifferently");
  EXPECT_THAT(scene.MessageOf("Rewritten"), HasSubstr("ConfigMap default/a (data.x)"));
  EXPECT_EQ(scene.ConditionOf("Ready"), "True AsDesired");
  EXPECT_EQ(std::count(scene.world.writes.begin(), scene.world.writes.end(),
                       "apply configmaps default/a"),
            1);
  const ObjectRef a = scene.Ref(testing::ScriptedConfigMap(), "a");
  scene.world.Edit(a, [](Json& live) { live["data"]["x"] = "drift"; });
  scene.Converge();
  EXPECT_EQ((*scene.world.Get(a))["data"]["x"], "webhook");
  scene.world.webhook = nullptr;
  scene.world.Edit(a, [](Json& live) { live["data"]["x"] = "drift"; });
  scene.Converge();
  EXPECT_EQ((*scene.world.Get(a))["data"]["x"], "1");
  EXPECT_EQ(scene.ConditionOf("Rewritten"), "");
}

TEST(PlanSync, FieldOfAnotherManagerIsNamedAndRetriedSlowly) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  const ObjectRef a = scene.Ref(testing::ScriptedConfigMap(), "a");
  const auto flip = [&](const Json& last_writer) {
    scene.world.Edit(a, [&](Json& live) {
      live["data"]["x"] = "autoscaler";
      live["xebec.dev/last-writer"] = last_writer;
    });
  };
  for (uint32_t i = 0; i < kConflictAfter; ++i) {
    flip("some-autoscaler");
    scene.Reconcile();
  }
  // Both wrote in the same second.
  flip(Json::array({testing::ScriptedKind().description.controller, "some-autoscaler"}));
  const size_t writes = scene.world.writes.size();
  const Plan plan = scene.Reconcile();
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_EQ(plan.resync_after, absl::Seconds(10));
  EXPECT_EQ(scene.ConditionOf("FieldManagerConflict"), "True FieldManagerConflict");
  EXPECT_THAT(scene.MessageOf("FieldManagerConflict"),
              HasSubstr("ConfigMap default/a (data.x), last written by some-autoscaler"));
  EXPECT_EQ(scene.ConditionOf("Applied"), "False FieldManagerConflict");
  EXPECT_EQ(scene.world.writes.size(), writes + 1);  // the status
  EXPECT_EQ(scene.Converge(), 0);
  scene.world.now += absl::Seconds(11);
  scene.Reconcile();
  EXPECT_EQ((*scene.world.Get(a))["data"]["x"], "1");
  EXPECT_EQ(scene.ConditionOf("FieldManagerConflict"), "True FieldManagerConflict");
}

TEST(PlanSync, DeletionThatALimitDefersShowsAsACondition) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  SetSpec(scene, R"({"toDelete": [{"kind": "ConfigMap", "name": "a"}]})");
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  KindRegistry registry;
  registry.Register(scene.kind);
  Plan plan = MakePlan(observation, registry);
  ASSERT_EQ(CountOperations(plan), 1u);
  EXPECT_THAT(*plan.status->object, Not(HasSubstr("DeletionDeferred")));

  Outcome deferred;
  deferred.operation = plan.stages[0].operations[0].id;
  deferred.code = OutcomeCode::kRefused;
  deferred.certainty = Certainty::kRejected;
  deferred.reason = "DeletionDeferred";
  deferred.message = "the budget is used up";
  observation.last_outcomes = {deferred};
  plan = MakePlan(observation, registry);
  EXPECT_THAT(*plan.status->object, HasSubstr(R"("type":"DeletionDeferred")"));
  EXPECT_THAT(*plan.status->object, HasSubstr("the budget is used up"));
  EXPECT_TRUE(plan.status->changed);
}

TEST(PlanSync, FieldManagerConflictEndsWhenTheOtherWriterGivesUp) {
  Scene scene = Scripted(kOneChild);
  scene.Converge();
  const ObjectRef a = scene.Ref(testing::ScriptedConfigMap(), "a");
  for (uint32_t i = 0; i < kConflictAfter; ++i) {
    scene.world.Edit(a, [](Json& live) { live["data"]["x"] = "autoscaler"; });
    scene.Reconcile();
  }
  const Plan plan = scene.Reconcile();
  EXPECT_EQ(plan.resync_after, absl::Minutes(10));
  EXPECT_EQ(scene.ConditionOf("FieldManagerConflict"), "True FieldManagerConflict");
  scene.world.now += absl::Minutes(10);
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("FieldManagerConflict"), "");
}

TEST(PlanSync, KindThatIsNotWatchedYetIsNotWritten) {
  Scene scene = Scripted(kOneChild);
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.children.erase(observation.children.begin());
  KindRegistry registry;
  registry.Register(scene.kind);
  const Plan plan = MakePlan(observation, registry);
  EXPECT_EQ(CountOperations(plan), 0u);
  EXPECT_FALSE(plan.complete);
  EXPECT_EQ(testing::StatusOf(plan)["conditions"][0]["reason"], "NotWatched");
}

// The kind judges by what it is shown, and would say that there is nothing.
TEST(PlanSync, StatusStandsStillWhileAKindCannotBeRead) {
  Scene scene = Scripted(R"({"status": {"size": 1}, "ready": "True"})");
  scene.Converge();
  SetSpec(scene, R"({"status": {"size": 0}, "ready": "True"})");
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.children.erase(observation.children.begin());
  KindRegistry registry;
  registry.Register(scene.kind);
  const Json status = testing::StatusOf(MakePlan(observation, registry));
  EXPECT_EQ(status["size"], 1);
  EXPECT_EQ(status["conditions"][0]["type"], "Ready");
  EXPECT_EQ(status["conditions"][0]["status"], "False");
  EXPECT_EQ(status["conditions"][0]["reason"], "NotWatched");
  EXPECT_EQ(status["conditions"][0]["observedGeneration"], 2);
  EXPECT_EQ(status["observedGeneration"], 1) << "the kind has not judged the new spec";
}

TEST(PlanSync, NullStatusFieldIsTakenAway) {
  Scene scene = Scripted(R"({"status": {"nextStart": "soon"}})");
  scene.Converge();
  EXPECT_EQ(scene.Parent()["status"]["nextStart"], "soon");
  SetSpec(scene, R"({"status": {"nextStart": null}})");
  scene.Converge();
  EXPECT_FALSE(scene.Parent()["status"].contains("nextStart"));
}

TEST(PlanSync, ResyncOfTheKindIsPassedOn) {
  EXPECT_EQ(Scripted(R"({"resyncSeconds": 5})").Ask().resync_after, absl::Seconds(5));
}

TEST(PlanSync, CrdWithoutStatusGetsNone) {
  Scene scene = Scripted(kOneChild);
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.without_status = true;
  KindRegistry registry;
  registry.Register(scene.kind);
  const Plan plan = MakePlan(observation, registry);
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_EQ(CountOperations(plan), 1u);
  EXPECT_TRUE(plan.events.empty());
}

TEST(PlanSync, ParentThatTheWatcherCouldNotReadIsToldSoAndItsChildrenAreKept) {
  Scene scene = Scripted(R"({"objects": []})");
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  Json shown = Json::parse(*observation.parent);
  shown.erase("spec");
  shown["xebec.dev/unreadable"] = "object w: too deep";
  observation.parent = MakeObjectBytes(shown.dump());
  KindRegistry registry;
  registry.Register(scene.kind);
  Plan plan = MakePlan(observation, registry);
  EXPECT_EQ(plan.verdict, Verdict::kInvalid);
  EXPECT_EQ(CountOperations(plan), 0u);
  ASSERT_TRUE(plan.status.has_value());
  EXPECT_THAT(*plan.status->object,
              HasSubstr("the watcher cannot read this object: object w: too deep"));

  shown["status"] = nullptr;  // not even its status: what is written might be there already
  observation.parent = MakeObjectBytes(shown.dump());
  plan = MakePlan(observation, registry);
  EXPECT_FALSE(plan.status.has_value());
  ASSERT_EQ(plan.events.size(), 1u);
}

TEST(PlanSync, CrdWithoutStatusTellsWhatIsWrongInAnEventAlone) {
  Scene scene = Scripted(R"({"invalid": "spec.count must be odd"})");
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  observation.without_status = true;
  KindRegistry registry;
  registry.Register(scene.kind);
  const Plan plan = MakePlan(observation, registry);
  ASSERT_EQ(plan.events.size(), 1u);
  EXPECT_TRUE(plan.events[0].warning);
  EXPECT_EQ(plan.events[0].reason, "InvalidSpec");
  EXPECT_EQ(plan.events[0].note, "spec.count must be odd");
  EXPECT_FALSE(WritesNothing(plan)) << "the applier has to publish it";
}

}  // namespace
}  // namespace xebec::planner
