// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/iris/iris.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "planner/kinds/built_in.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/iris_scene.h"

namespace xebec::planner {
namespace {

using testing::ChangeSpec;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Iris;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::Scene;

constexpr const char* kImage = "store/intersystems/iris-community:2020.4.0.524.0";

// Plays the Deployment controller: everything that is asked for runs.
void Roll(Scene& scene, const std::string& name, int64_t ready) {
  scene.world.Edit(scene.Ref(DeploymentType(), name), [&](Json& deployment) {
    const int64_t replicas = deployment["spec"]["replicas"].get<int64_t>();
    deployment["status"] = {{"replicas", replicas},
                            {"updatedReplicas", replicas},
                            {"readyReplicas", ready},
                            {"availableReplicas", ready},
                            {"observedGeneration", deployment["metadata"]["generation"]}};
  });
}

Json Deployment(const Scene& scene, const std::string& name) {
  const Json* object = scene.world.Get(scene.Ref(DeploymentType(), name));
  return object == nullptr ? Json() : *object;
}

TEST(Iris, NewOneGetsItsDeploymentAndTheEventOfTheArticle) {
  Scene scene = Iris(R"({"deploymentName": "iris", "replicas": 1})");
  scene.Reconcile();
  const Json deployment = Deployment(scene, "iris");
  EXPECT_EQ(FindInt(deployment, {"spec", "replicas"}), 1);
  const Json labels = {{"iris/deployment-name", "iris"}};
  EXPECT_EQ(deployment["spec"]["selector"]["matchLabels"], labels);
  const Json pod_labels = {{"iris/deployment-name", "iris"}, {"xebec.dev/parent", "sample"}};
  EXPECT_EQ(deployment["spec"]["template"]["metadata"]["labels"], pod_labels);
  EXPECT_EQ(deployment["spec"]["template"]["spec"]["containers"],
            Json::array({{{"name", "iris"}, {"image", kImage}}}));
  const Json owner = deployment["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["uid"], scene.Parent()["metadata"]["uid"]);
  EXPECT_EQ(owner["controller"], true);
  EXPECT_EQ(owner["blockOwnerDeletion"], true);
  EXPECT_THAT(scene.world.events, ElementsAre("Normal Created Created deployment \"iris\""));
}

TEST(Iris, SampleWithoutFieldsIsNamedAfterTheIrisWithOneReplica) {
  Scene scene = Iris("{}");
  scene.Reconcile();
  EXPECT_EQ(FindInt(Deployment(scene, "sample"), {"spec", "replicas"}), 1);
}

TEST(Iris, BothGroupsArePlannedByOneKind) {
  const KindRegistry kinds = BuiltInKinds();
  for (const char* group : {"example.com", "test.myardyas.club"}) {
    ASSERT_NE(kinds.Find(group, "Iris"), nullptr) << group;
  }
  EXPECT_EQ(kinds.Find("test.myardyas.club", "Iris")->description.controller,
            "iris.test.myardyas.club");
  EXPECT_EQ(kinds.Find("example.com", "Iris")->description.controller, "irises.example.com");
}

TEST(Iris, StatusFollowsThePodsThatExist) {
  Scene scene = Iris(R"({"replicas": 2})");
  EXPECT_EQ(scene.Converge(), 1);
  EXPECT_THAT(scene.world.writes, ElementsAre("apply deployments.apps default/sample", "status"));
  EXPECT_EQ(scene.Parent()["status"]["replicas"], 0) << "no Pod exists";
  Roll(scene, "sample", 0);
  EXPECT_EQ(scene.Converge(), 1);
  EXPECT_EQ(scene.Parent()["status"]["replicas"], 2);
  Roll(scene, "sample", 2);
  EXPECT_EQ(scene.Converge(), 1);
  EXPECT_EQ(scene.world.writes.size(), 4u);
  EXPECT_EQ(scene.ConditionOf("Ready"), "True DeploymentReady");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "");
  EXPECT_EQ(scene.world.events.size(), 1u);
}

TEST(Iris, ReplicasChangedScalesTheDeploymentAndSaysSo) {
  Scene scene = Iris(R"({"deploymentName": "iris", "replicas": 1})");
  scene.Converge();
  Roll(scene, "iris", 1);
  scene.Converge();
  ChangeSpec(scene, "replicas", 2);
  scene.Reconcile();
  EXPECT_EQ(FindInt(Deployment(scene, "iris"), {"spec", "replicas"}), 2);
  EXPECT_EQ(scene.world.events.back(), "Normal Scaled Scaled deployment \"iris\" to 2 replicas");
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Deploying");
  EXPECT_EQ(scene.Parent()["status"]["observedGeneration"], 2);
  scene.Converge();
  EXPECT_EQ(scene.world.events.size(), 2u);
}

TEST(Iris, EditOfReplicasIsPutBackAndReportsScaled) {
  Scene scene = Iris(R"({"replicas": 2})");
  scene.Converge();
  scene.world.Edit(scene.Ref(DeploymentType(), "sample"),
                   [](Json& deployment) { deployment["spec"]["replicas"] = 5; });
  scene.Converge();
  EXPECT_EQ(FindInt(Deployment(scene, "sample"), {"spec", "replicas"}), 2);
  EXPECT_EQ(scene.world.events.back(), "Normal Scaled Scaled deployment \"sample\" to 2 replicas");
}

TEST(Iris, EditOfTheImageIsPutBackWithoutAScaledEvent) {
  Scene scene = Iris("{}");
  scene.Converge();
  scene.world.Edit(scene.Ref(DeploymentType(), "sample"), [](Json& deployment) {
    deployment["spec"]["template"]["spec"]["containers"][0]["image"] = "other";
  });
  scene.Converge();
  EXPECT_EQ(Deployment(scene, "sample")["spec"]["template"]["spec"]["containers"][0]["image"],
            kImage);
  EXPECT_EQ(scene.world.events.size(), 1u);
}

TEST(Iris, DeletedDeploymentIsMadeAgain) {
  Scene scene = Iris("{}");
  scene.Converge();
  const std::string uid = Deployment(scene, "sample")["metadata"]["uid"];
  scene.world.Delete(scene.Ref(DeploymentType(), "sample"));
  scene.Converge();
  EXPECT_NE(Deployment(scene, "sample")["metadata"]["uid"], uid);
}

TEST(Iris, NameConflictIsReportedOnceAndHealsWhenTheNameBecomesFree) {
  Scene scene = Iris(R"({"deploymentName": "taken"})");
  const ObjectRef taken = scene.world.Put(
      DeploymentType(), {{"metadata", {{"name", "taken"}}}, {"spec", {{"replicas", 7}}}});
  for (int i = 0; i < 4; ++i) scene.Reconcile();
  EXPECT_EQ(Deployment(scene, "taken")["spec"]["replicas"], 7);
  EXPECT_EQ(scene.ConditionOf("Ready"), "False NameConflict");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "True ProgressingWithRetry");
  ASSERT_EQ(scene.world.events.size(), 1u);
  EXPECT_THAT(scene.world.events[0], HasSubstr("Warning NameConflict"));
  scene.world.Delete(taken);
  scene.Converge();
  EXPECT_EQ(FindInt(Deployment(scene, "taken"), {"spec", "replicas"}), 1);
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Deploying");
}

TEST(Iris, ReadyCountIsFollowed) {
  Scene scene = Iris(R"({"replicas": 3})");
  scene.Converge();
  Roll(scene, "sample", 2);
  scene.Converge();
  EXPECT_EQ(scene.Parent()["status"]["readyReplicas"], 2);
  EXPECT_EQ(scene.Parent()["status"]["replicas"], 3);
  EXPECT_EQ(scene.Parent()["status"]["selector"], "iris/deployment-name=sample");
  EXPECT_EQ(scene.MessageOf("Ready"), "2 of 3 replicas are ready");
}

TEST(Iris, IsNotReadyWhileAChangedImageRollsOut) {
  Scene scene = Iris("{}");
  scene.Converge();
  Roll(scene, "sample", 1);
  scene.Converge();
  ChangeSpec(scene, "image", "iris:2");
  scene.Reconcile();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Deploying");
  scene.Reconcile();  // the Deployment's status is still about the old generation
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Deploying");
  Roll(scene, "sample", 1);
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "True DeploymentReady");
}

TEST(Iris, FailureOfTheDeploymentIsShown) {
  Scene scene = Iris("{}");
  scene.Converge();
  scene.world.Edit(scene.Ref(DeploymentType(), "sample"), [](Json& deployment) {
    deployment["status"] = {{"observedGeneration", 1},
                            {"conditions",
                             {{{"type", "ReplicaFailure"},
                               {"status", "True"},
                               {"reason", "FailedCreate"},
                               {"message", "exceeded quota"}}}}};
  });
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False QuotaExceeded");
  EXPECT_EQ(scene.Parent()["status"]["replicas"], 0);
  EXPECT_THAT(scene.MessageOf("Ready"), HasSubstr("exceeded quota"));
}

TEST(Iris, DeploymentBeyondItsDeadlineIsStalledUntilItMovesOn) {
  Scene scene = Iris("{}");
  scene.Converge();
  scene.world.Edit(scene.Ref(DeploymentType(), "sample"), [](Json& deployment) {
    deployment["status"] = {{"observedGeneration", 1},
                            {"conditions",
                             {{{"type", "Progressing"},
                               {"status", "False"},
                               {"reason", "ProgressDeadlineExceeded"},
                               {"message", "timed out"}}}}};
  });
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Stalled"), "True ProgressDeadlineExceeded");
  EXPECT_EQ(scene.ConditionOf("Reconciling"), "");
  Roll(scene, "sample", 1);
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Stalled"), "");
  EXPECT_EQ(scene.ConditionOf("Ready"), "True DeploymentReady");
}

TEST(Iris, LongDeploymentNameGetsAValidLabel) {
  const std::string name(64, 'a');
  Scene scene = Iris(R"({"deploymentName": ")" + name + R"("})");
  scene.Reconcile();
  const std::string label = FindString(Deployment(scene, name),
                                       {"spec", "selector", "matchLabels", "iris/deployment-name"});
  EXPECT_LE(label.size(), 63u);
  EXPECT_NE(label.substr(0, 20), "");
  Scene other = Iris(R"({"deploymentName": ")" + std::string(63, 'a') + R"(b"})");
  other.Reconcile();
  const Json twin = Deployment(other, std::string(63, 'a') + "b");
  EXPECT_NE(FindString(twin, {"spec", "selector", "matchLabels", "iris/deployment-name"}), label);
}

TEST(Iris, OptionalFieldsReachTheContainer) {
  Scene scene = Iris(R"({"image": "iris:2", "env": [{"name": "A", "value": "1"}],
                         "resources": {"requests": {"cpu": "1"}}, "test": 42})");
  scene.Reconcile();
  const Json container = Deployment(scene, "sample")["spec"]["template"]["spec"]["containers"][0];
  EXPECT_EQ(container["image"], "iris:2");
  EXPECT_EQ(container["env"][0]["value"], "1");
  EXPECT_EQ(container["resources"]["requests"]["cpu"], "1");
  EXPECT_EQ(scene.Parent()["spec"]["test"], 42);
}

TEST(Iris, RemovedVariableLeavesTheContainer) {
  Scene scene = Iris(R"({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]})");
  scene.Converge();
  ChangeSpec(scene, "env", Json::array({{{"name", "B"}, {"value", "2"}}}));
  scene.Converge();
  EXPECT_EQ(Deployment(scene, "sample")["spec"]["template"]["spec"]["containers"][0]["env"],
            Json::array({{{"name", "B"}, {"value", "2"}}}));
}

TEST(Iris, FieldsThatTheSchemaLetThroughAreInvalidSpec) {
  for (const char* spec :
       {R"({"replicas": -1})", R"({"replicas": "2"})", R"({"replicas": 2147483648})",
        R"({"deploymentName": "Upper"})", R"({"deploymentName": 5})", R"({"env": {}})",
        R"({"resources": []})", R"([])"}) {
    Scene scene = Iris(spec);
    const Plan plan = scene.Reconcile();
    EXPECT_EQ(plan.verdict, Verdict::kInvalid) << spec;
    EXPECT_THAT(OperationIds(plan), IsEmpty()) << spec;
    EXPECT_EQ(scene.ConditionOf("Ready"), "False InvalidSpec") << spec;
    EXPECT_EQ(scene.ConditionOf("Stalled"), "True InvalidSpec") << spec;
    EXPECT_EQ(scene.Converge(), 0) << spec;
    ASSERT_EQ(scene.world.events.size(), 1u) << spec;
    EXPECT_THAT(scene.world.events[0], HasSubstr("Warning InvalidSpec spec")) << spec;
  }
}

TEST(Iris, DeploymentOfTheOriginalOperatorIsTakenOverWithoutReplacingPods) {
  Scene scene = Iris(R"({"deploymentName": "iris", "replicas": 2})");
  const Json labels = {{"iris/deployment-name", "iris"}};
  const Json owner = {{"apiVersion", "example.com/v1alpha1"},
                      {"kind", "Iris"},
                      {"name", "sample"},
                      {"uid", scene.Parent()["metadata"]["uid"]},
                      {"controller", true}};
  Json original = {
      {"metadata", {{"name", "iris"}, {"ownerReferences", Json::array({owner})}}},
      {"spec",
       {{"replicas", 2},
        {"selector", {{"matchLabels", labels}}},
        {"strategy", {{"type", "RollingUpdate"}}},
        {"template",
         {{"metadata", {{"labels", labels}}},
          {"spec",
           {{"restartPolicy", "Always"},
            {"containers",
             {{{"name", "iris"}, {"image", kImage}, {"imagePullPolicy", "IfNotPresent"}}}}}}}}}}};
  const Json before = original["spec"]["template"];
  scene.world.Put(DeploymentType(), original);
  Roll(scene, "iris", 2);
  scene.Converge();
  const Json taken = Deployment(scene, "iris");
  EXPECT_EQ(taken["spec"]["template"], before);
  EXPECT_EQ(taken["metadata"]["generation"], 1);
  EXPECT_EQ(scene.ConditionOf("Ready"), "True DeploymentReady");
  EXPECT_THAT(scene.world.events, IsEmpty());
  EXPECT_EQ(scene.Converge(), 0);
}

TEST(Iris, DeletedIrisIsLeftToTheGarbageCollector) {
  Scene scene = Iris("{}");
  scene.Converge();
  scene.world.Edit(scene.parent, [](Json& iris) {
    iris["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    iris["metadata"]["finalizers"] = {"foregroundDeletion"};
  });
  const Plan plan = scene.Ask();
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.status.has_value());
}

// A Deployment that its user has handed over: its selector is immutable.
TEST(Iris, DeploymentNamedAfterALongIrisLeavesRoomForItsReplicaSets) {
  Scene scene = Iris("{}", std::string(253, 'x'));
  scene.Converge();
  EXPECT_LE(scene.world.List("Deployment").at(0).name.size(), 242u);
}

TEST(Iris, ReadyShowsTheReasonOfItsPods) {
  Scene scene = Iris("{}");
  scene.Converge();
  Roll(scene, "sample", 0);
  Json pod = *ParseJson(R"({"metadata": {"name": "sample-7d9-x",
      "labels": {"xebec.dev/parent": "sample", "pod-template-hash": "7d9"},
      "ownerReferences": [{"kind": "ReplicaSet", "name": "sample-7d9", "uid": "rs",
                           "controller": true}]},
      "status": {"phase": "Running", "containerStatuses": [{"name": "iris", "ready": false,
          "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}}]}})");
  const ObjectRef ref = scene.world.Put(PodType(), pod);
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False CrashLoopBackOff");
  scene.world.Edit(ref, [](Json& changed) {
    changed["status"]["containerStatuses"][0]["state"]["waiting"]["message"] = "back-off 20s";
  });
  EXPECT_EQ(scene.Converge(), 0) << "the message of the kubelet changes with every try";
  scene.world.Edit(
      ref, [](Json& changed) { changed["metadata"]["ownerReferences"][0]["name"] = "other-7d9"; });
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False Deploying") << "the label alone proves nothing";
}
TEST(Iris, PodsThatBecomeReadyAreProgressUntilAllAre) {
  Scene scene = Iris(R"({"deploymentName": "iris", "replicas": 3})");
  scene.Reconcile();
  for (const int64_t ready : {0, 1, 2}) {
    Roll(scene, "iris", ready);
    const Plan plan = scene.Reconcile();
    EXPECT_TRUE(plan.status->changed && plan.status->progress_only) << ready;
  }
  Roll(scene, "iris", 3);
  EXPECT_FALSE(scene.Reconcile().status->progress_only);
}

}  // namespace
}  // namespace xebec::planner
