// SPDX-License-Identifier: Apache-2.0
#include "planner/core/failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

namespace xebec::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::Scene;
using ::testing::StartsWith;

constexpr const char* kApplyA = "apply configmaps default/a";

Scene OneChild() {
  return Scene(testing::ScriptedKind(), *ParseJson(R"({"metadata": {"name": "p"}, "spec": {
      "children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}}}]}})"));
}

struct Row {
  OutcomeCode code;
  const char* ready;
  const char* stalled;
  const char* reconciling;
  size_t events;
};

TEST(Failures, RefusedWritesBecomeConditionsAndOneWarning) {
  const Row rows[] = {
      {OutcomeCode::kInvalid, "False Rejected", "True Rejected", "", 1},
      {OutcomeCode::kAdmissionDenied, "False Rejected", "True Rejected", "", 1},
      {OutcomeCode::kTooLarge, "False Rejected", "True Rejected", "", 1},
      {OutcomeCode::kForbidden, "False Rejected", "", "True ProgressingWithRetry", 1},
      {OutcomeCode::kRefused, "False Rejected", "", "True ProgressingWithRetry", 1},
      {OutcomeCode::kNotServed, "False Rejected", "", "True ProgressingWithRetry", 1},
      {OutcomeCode::kQuotaExceeded, "False QuotaExceeded", "", "True ProgressingWithRetry", 1},
      {OutcomeCode::kNameConflict, "False NameConflict", "", "True ProgressingWithRetry", 1},
      {OutcomeCode::kTerminating, "False Terminating", "", "True ProgressingWithRetry", 0},
      {OutcomeCode::kServerError, "True AsDesired", "", "", 0},
      {OutcomeCode::kTimeout, "True AsDesired", "", "", 0},
      {OutcomeCode::kStale, "True AsDesired", "", "", 0},
  };
  for (const Row& row : rows) {
    Scene scene = OneChild();
    scene.world.refusals[kApplyA] = row.code;
    for (int i = 0; i < 4; ++i) scene.Reconcile();
    EXPECT_EQ(scene.ConditionOf("Ready"), row.ready) << Name(row.code);
    EXPECT_EQ(scene.ConditionOf("Stalled"), row.stalled) << Name(row.code);
    EXPECT_EQ(scene.ConditionOf("Reconciling"), row.reconciling) << Name(row.code);
    EXPECT_EQ(scene.world.events.size(), row.events) << Name(row.code);
    scene.world.refusals.clear();
    scene.Converge();
    EXPECT_EQ(scene.ConditionOf("Ready"), "True AsDesired") << Name(row.code);
    EXPECT_EQ(scene.ConditionOf("Stalled"), "") << Name(row.code);
  }
}

TEST(Failures, MessageIsTheApplier) {
  Scene scene = OneChild();
  scene.world.refusals[kApplyA] = OutcomeCode::kNameConflict;
  scene.Reconcile();
  scene.Reconcile();
  EXPECT_EQ(scene.MessageOf("Ready"), "refused: apply configmaps default/a");
  EXPECT_THAT(scene.world.events,
              ElementsAre("Warning NameConflict refused: apply configmaps default/a"));
}

TEST(Failures, PodSecurityHasItsOwnReason) {
  Scene scene = OneChild();
  scene.world.refusals[kApplyA] = OutcomeCode::kForbidden;
  scene.world.refusal_text = "pods \"a\" is forbidden: violates PodSecurity \"restricted\"";
  for (int i = 0; i < 2; ++i) scene.Reconcile();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False PodSecurityViolation");
}

TEST(Failures, NameConflictIsTriedAgainEachTime) {
  Scene scene = OneChild();
  scene.world.refusals[kApplyA] = OutcomeCode::kNameConflict;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(CountOperations(scene.Reconcile()), 1u);
}

TEST(Failures, RefusalOfAnotherContentIsOver) {
  Scene scene = OneChild();
  scene.world.refusals[kApplyA] = OutcomeCode::kInvalid;
  scene.Reconcile();
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  ASSERT_EQ(observation.last_outcomes.size(), 1u);
  observation.last_outcomes[0].digest = "v1:0123456789abcdef";
  KindRegistry registry;
  registry.Register(scene.kind);
  EXPECT_EQ(testing::StatusOf(MakePlan(observation, registry))["conditions"][0]["status"], "True");
}

TEST(Failures, TheGravestIsShownAndTheOthersCounted) {
  Scene scene = OneChild();
  scene.world.Edit(scene.parent, [](Json& parent) {
    for (const char* name : {"b", "c"}) {
      parent["spec"]["children"].push_back(
          {{"kind", "ConfigMap"}, {"object", {{"metadata", {{"name", name}}}}}});
    }
  });
  scene.world.refusals = {{kApplyA, OutcomeCode::kNameConflict},
                          {"apply configmaps default/b", OutcomeCode::kInvalid},
                          {"apply configmaps default/c", OutcomeCode::kForbidden}};
  scene.Reconcile();
  scene.Reconcile();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Rejected");
  EXPECT_EQ(scene.MessageOf("Ready"), "refused: apply configmaps default/b (and 2 more)");
}

TEST(Failures, InATerminatingNamespaceNothingIsWrittenAtAll) {
  Scene scene = OneChild();
  scene.world.refusals[kApplyA] = OutcomeCode::kNamespaceTerminating;
  scene.Reconcile();
  const Plan plan = scene.Ask();
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_THAT(plan.notes, ElementsAre(StartsWith("the namespace is being deleted")));
}

// A cluster-scoped parent with the ConfigMap "late/a" and the ConfigMap "other/b".
Scene ChildrenInTwoNamespaces() {
  Kind kind = testing::ScriptedKind();
  kind.description.parent.cluster_scoped = true;
  return Scene(kind, *ParseJson(R"({"metadata": {"name": "p"}, "spec": {"children": [
      {"kind": "ConfigMap", "object": {"metadata": {"name": "a", "namespace": "late"}}},
      {"kind": "ConfigMap", "object": {"metadata": {"name": "b", "namespace": "other"}}}]}})"));
}

TEST(Failures, OneMissingNamespaceDoesNotSilenceAClusterScopedParent) {
  Scene scene = ChildrenInTwoNamespaces();
  scene.world.refusals["apply configmaps late/a"] = OutcomeCode::kNamespaceTerminating;
  scene.world.refusal_text = R"(namespaces "late" not found)";
  scene.Reconcile();
  EXPECT_NE(scene.world.Get({testing::ScriptedConfigMap(), "other", "b"}), nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(OperationIds(scene.Reconcile()), ElementsAre("apply configmaps late/a"));
  }
  EXPECT_EQ(scene.ConditionOf("Ready"), "False NamespaceUnavailable");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "True ProgressingWithRetry");
  EXPECT_THAT(scene.MessageOf("Ready"), StartsWith(R"(namespaces "late" not found)"));
  EXPECT_THAT(scene.world.events,
              ElementsAre("Normal Created Created b", StartsWith("Warning NamespaceUnavailable ")));
  scene.world.refusals.clear();
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "True AsDesired");
}

TEST(Failures, DeletionThatIsRefusedIsShown) {
  Scene scene = OneChild();
  scene.Converge();
  scene.world.Edit(scene.parent, [](Json& parent) {
    parent["spec"] = *ParseJson(R"({"toDelete": [{"kind": "ConfigMap", "name": "a"}]})");
  });
  scene.world.refusals["delete configmaps default/a"] = OutcomeCode::kForbidden;
  scene.Reconcile();
  scene.Reconcile();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Rejected");
}

}  // namespace
}  // namespace xebec::planner
