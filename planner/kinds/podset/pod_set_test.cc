// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/podset/pod_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/kinds/resources.h"
#include "planner/kinds/testing/pod_scene.h"
#include "planner/kinds/testing/pod_set_scene.h"

namespace xebec::planner {
namespace {

using testing::Created;
using testing::Deleted;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::PodScene;
using testing::PodSet;
using ::testing::SizeIs;

constexpr const char* kGroup = "app.example.com";

// The original named every Pod "<name>-pod": a second one could never be created.
TEST(PodSet, ScaleUpCreatesWhatIsMissingInOnePlan) {
  PodSet set(R"({"replicas": 3})");
  EXPECT_THAT(Created(set.Reconcile()), ElementsAre("x-pod-0", "x-pod-1", "x-pod-2"));
  set.EditSpec(R"({"replicas": 5})");
  EXPECT_THAT(Created(set.Reconcile()), ElementsAre("x-pod-3", "x-pod-4"));
}

TEST(PodSet, PodIsTheOneOfTheArticle) {
  PodSet set(R"({"replicas": 1})");
  set.Reconcile();
  const Json pod = set.Pod("x-pod-0");
  EXPECT_EQ(pod["spec"]["containers"],
            Json::array({{{"name", "busybox"},
                          {"image", "busybox"},
                          {"command", Json::array({"sleep", "3600"})}}}));
  EXPECT_EQ(FindString(pod, {"metadata", "ownerReferences"}), "");
  EXPECT_EQ(FindString(pod["metadata"]["ownerReferences"][0], {"uid"}),
            FindString(set.Parent(), {"metadata", "uid"}));
  EXPECT_THAT(set.world.events, ElementsAre("Normal Created Created pod \"x-pod-0\""));
}

// The original created Pods without the label version that it selected by.
TEST(PodSet, PodsCarryTheLabelsThatTheSelectorAsksFor) {
  PodSet set(R"({"replicas": 1})");
  set.Converge();
  EXPECT_EQ(set.Pod("x-pod-0")["metadata"]["labels"],
            Json({{"app", "x"}, {"version", "v0.1"}, {"xebec.dev/parent-kind", "PodSet"}}));
  EXPECT_EQ(set.Status()["selector"], "app=x,version=v0.1,xebec.dev/parent-kind=PodSet");
}

TEST(PodSet, PodsThatBecomeReadyAreProgressUntilAllAre) {
  PodSet set(R"({"replicas": 3})");
  set.Converge();
  for (const char* pod : {"x-pod-0", "x-pod-1"}) {
    set.SetPod(pod, "Running", true);
    const Plan plan = set.Reconcile();
    EXPECT_TRUE(plan.status->changed && plan.status->progress_only) << pod;
  }
  set.SetPod("x-pod-2", "Running", true);
  EXPECT_FALSE(set.Reconcile().status->progress_only);
}

TEST(PodSet, ScaleDownRemovesTheHighestOrdinals) {
  PodSet set(R"({"replicas": 4})");
  set.ConvergeReady();
  set.EditSpec(R"({"replicas": 2})");
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-2", "x-pod-3"));
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0", "x-pod-1"));
  EXPECT_EQ(set.Status()["replicas"], 2);
}

// The original deleted Items[0], a Pod that it might not have counted.
TEST(PodSet, ScaleDownNeverTakesATerminatingPodForOneThatCounts) {
  PodSet set(R"({"replicas": 3})");
  set.ConvergeReady();
  set.world.linger = true;
  set.world.Delete(set.Ref(PodType(), "x-pod-0"));
  set.EditSpec(R"({"replicas": 2})");
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-2"));
  EXPECT_EQ(set.Status()["podNames"], Json::array({"x-pod-1", "x-pod-2"}));
}

// The original answered Requeue: true for ever.
TEST(PodSet, WhenIdleNothingIsWrittenAndNothingIsScheduled) {
  PodSet set(R"({"replicas": 3})");
  set.ConvergeReady();
  const Plan plan = set.Ask();
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.resync_after.has_value());
  EXPECT_EQ(set.ConditionOf("Ready"), "True PodsReady");
  EXPECT_EQ(set.ConditionOf("Progressing"), "False Complete");
}

// The original trusted labels.
TEST(PodSet, PodOfAnotherOwnerWithOurLabelsDoesNotCountAndIsNotTouched) {
  PodSet set(R"({"replicas": 1})");
  Json foreign = {{"metadata", {{"name", "y"}, {"labels", {{"app", "x"}, {"version", "v0.1"}}}}}};
  set.world.Put(PodType(), foreign);
  set.ConvergeReady();
  EXPECT_EQ(set.Status()["replicas"], 1);
  set.EditSpec(R"({"replicas": 0})");
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("y"));
}

TEST(PodSet, PodThatLostItsLabelsStillCountsAndGetsThemBack) {
  PodSet set(R"({"replicas": 1})");
  set.ConvergeReady();
  set.world.Edit(set.Ref(PodType(), "x-pod-0"), [](Json& pod) { pod["metadata"].erase("labels"); });
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0"));
  EXPECT_EQ(set.Pod("x-pod-0")["metadata"]["labels"]["version"], "v0.1");
}

TEST(PodSet, PodThatSucceededOrFailedIsDeletedAndItsOrdinalMadeAgain) {
  for (const char* phase : {"Succeeded", "Failed"}) {
    PodSet set(R"({"replicas": 2})");
    set.ConvergeReady();
    set.world.now += absl::Minutes(1);
    const std::string before = FindString(set.Pod("x-pod-0"), {"metadata", "uid"});
    set.SetPod("x-pod-0", phase);
    EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-0"));
    EXPECT_EQ(set.Status()["podNames"], Json::array({"x-pod-1"})) << phase;
    set.Converge();
    EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0", "x-pod-1"));
    EXPECT_NE(FindString(set.Pod("x-pod-0"), {"metadata", "uid"}), before);
  }
}

TEST(PodSet, PodThatEndsAtOnceIsNotReplacedInAHotLoop) {
  PodSet set(R"({"replicas": 1})");
  set.Converge();
  set.SetPod("x-pod-0", "Failed");
  const Plan plan = set.Reconcile();
  EXPECT_THAT(Deleted(plan), IsEmpty());
  EXPECT_EQ(plan.resync_after, absl::Seconds(5));
  set.world.now += absl::Seconds(5);
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-0"));
}

TEST(PodSet, PodRemovedByAnotherHandComesBack) {
  PodSet set(R"({"replicas": 2})");
  set.ConvergeReady();
  set.Kill("x-pod-1");
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0", "x-pod-1"));
}

TEST(PodSet, PendingAndRunningPodsThatAreNotBeingDeletedCount) {
  PodSet set(R"({"replicas": 4})");
  set.ConvergeReady();
  set.SetPod("x-pod-1", "Pending");
  set.SetPod("x-pod-2", "Unknown");
  set.world.linger = true;
  set.world.Delete(set.Ref(PodType(), "x-pod-3"));
  set.Converge();
  EXPECT_EQ(set.Status()["podNames"], Json::array({"x-pod-0", "x-pod-1"}));
  EXPECT_EQ(set.Status()["replicas"], 2);
  EXPECT_EQ(set.Status()["readyReplicas"], 1);
}

TEST(PodSet, PodNamesAreSortedByOrdinal) {
  PodSet set(R"({"replicas": 11})");
  set.Converge();
  const Json names = set.Status()["podNames"];
  ASSERT_THAT(names, SizeIs(11));
  EXPECT_EQ(names[2], "x-pod-2");
  EXPECT_EQ(names[10], "x-pod-10");
}

TEST(PodSet, BadReplicasThatTheSchemaLetThroughAreInvalid) {
  for (const char* bad : {"-1", "\"3\"", "1001", "2.5"}) {
    PodSet set("{\"replicas\": " + std::string(bad) + "}");
    set.Converge();
    EXPECT_THAT(set.Pods(), IsEmpty());
    EXPECT_EQ(set.ConditionOf("Ready"), "False InvalidSpec") << bad;
    EXPECT_THAT(set.MessageOf("Ready"), HasSubstr("spec.replicas"));
  }
}

TEST(PodSet, BadSpecLeavesThePodsThatThereAre) {
  PodSet set(R"({"replicas": 2})");
  set.ConvergeReady();
  set.EditSpec(R"({"replicas": -1, "image": "other"})");
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0", "x-pod-1"));
  EXPECT_EQ(set.Status()["replicas"], 2);
  set.EditSpec(R"({"replicas": 2, "image": null})");
  set.Converge();
  EXPECT_EQ(set.ConditionOf("Ready"), "True PodsReady");
}

TEST(PodSet, PodThatTerminatesAMinutePastItsGraceIsNamedInACondition) {
  PodSet set(R"({"replicas": 1})");
  set.ConvergeReady();
  set.world.linger = true;
  set.world.Delete(set.Ref(PodType(), "x-pod-0"));
  const Plan plan = set.Reconcile();
  EXPECT_EQ(plan.resync_after, absl::Minutes(1));
  EXPECT_EQ(set.ConditionOf("PodsStuck"), "");
  set.world.now += absl::Minutes(1);
  set.Converge();
  EXPECT_EQ(set.ConditionOf("PodsStuck"), "True TerminatingTooLong");
  EXPECT_THAT(set.MessageOf("PodsStuck"), HasSubstr("x-pod-0"));
  EXPECT_THAT(set.world.events.back(), HasSubstr("Warning TerminatingTooLong"));
  EXPECT_TRUE(WritesNothing(set.Ask()));
  EXPECT_FALSE(set.Ask().resync_after.has_value());
  set.Kill("x-pod-0");
  set.Converge();
  EXPECT_EQ(set.ConditionOf("PodsStuck"), "");
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0"));
}

TEST(PodSet, TerminatingPodsNameIsWaitedFor) {
  PodSet set(R"({"replicas": 1})");
  set.ConvergeReady();
  set.world.linger = true;
  set.EditSpec(R"({"image": "busybox:2"})");
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-0"));
  EXPECT_THAT(OperationIds(set.Reconcile()), IsEmpty());
}

TEST(PodSet, LongNamesGiveValidNamesThatDoNotCollide) {
  const std::string name(253, 'a');
  PodSet set(R"({"replicas": 12})", name);
  set.ConvergeReady();
  EXPECT_THAT(set.Pods(), SizeIs(12));
  EXPECT_EQ(set.ConditionOf("Ready"), "True PodsReady");
  for (const std::string& pod : set.Pods()) EXPECT_LE(pod.size(), 63u);
  EXPECT_LE(FindString(set.Pod(set.Pods()[0]), {"metadata", "labels", "app"}).size(), 63u);
}

TEST(AppService, SizeCountsWhereReplicasIsAbsent) {
  PodScene service(kGroup, "AppService", "example-appservice", R"({"size": 3})");
  service.Converge();
  EXPECT_THAT(service.Pods(), ElementsAre("example-appservice-pod-0", "example-appservice-pod-1",
                                          "example-appservice-pod-2"));
  service.EditSpec(R"({"replicas": 1})");
  service.Converge();
  EXPECT_THAT(service.Pods(), SizeIs(1));
}

TEST(AppService, BadSizeIsNamed) {
  PodScene service(kGroup, "AppService", "a", R"({"size": "three"})");
  service.Converge();
  EXPECT_THAT(service.MessageOf("Ready"), HasSubstr("spec.size"));
}

TEST(AppService, NothingSaidMeansOnePod) {
  PodScene service(kGroup, "AppService", "a", "{}");
  service.Converge();
  EXPECT_THAT(service.Pods(), ElementsAre("a-pod-0"));
}

TEST(PodSet, CommandAndArgsAreThoseOfTheImageWhereTheSpecSaysSo) {
  const auto container = [](std::string_view spec) {
    PodSet set(spec);
    set.Converge();
    return Json(set.Pod("x-pod-0")["spec"]["containers"][0]);
  };
  EXPECT_EQ(container("{}")["command"], Json::array({"sleep", "3600"}));
  EXPECT_FALSE(container(R"({"command": []})").contains("command"));
  const Json args = container(R"({"args": ["-v"]})");
  EXPECT_FALSE(args.contains("command"));
  EXPECT_EQ(args["args"], Json::array({"-v"}));
  EXPECT_EQ(container(R"({"command": ["a"], "args": ["b"]})")["command"], Json::array({"a"}));
}

TEST(PodSet, ChangedArgsReplaceThePods) {
  PodSet set(R"({"args": ["a"]})");
  set.ConvergeReady();
  const Json before = set.Pod("x-pod-0");
  set.EditSpec(R"({"args": ["b"]})");
  set.ConvergeReady();
  EXPECT_NE(set.Pod("x-pod-0")["metadata"]["uid"], before["metadata"]["uid"]);
}

TEST(PodSet, AndAppServiceOfOneNameHaveSelectorsOfTheirOwn) {
  PodSet set("{}");
  PodScene service("app.example.com", "AppService", "x", "{}");
  set.Converge();
  service.Converge();
  EXPECT_NE(set.Status()["selector"], service.Status()["selector"]);
  EXPECT_NE(set.Pod("x-pod-0")["metadata"]["labels"], service.Pod("x-pod-0")["metadata"]["labels"]);
}

TEST(PodSet, PullSecretsAreThoseOfNewPods) {
  PodSet set(R"({"imagePullSecrets": [{"name": "a"}]})");
  set.ConvergeReady();
  EXPECT_EQ(set.Pod("x-pod-0")["spec"]["imagePullSecrets"][0]["name"], "a");
  set.EditSpec(R"({"imagePullSecrets": [{"name": "b"}], "replicas": 2})");
  set.ConvergeReady();
  EXPECT_EQ(set.Pod("x-pod-0")["spec"]["imagePullSecrets"][0]["name"], "a") << "immutable";
  EXPECT_EQ(set.Pod("x-pod-1")["spec"]["imagePullSecrets"][0]["name"], "b");
}

TEST(PodSet, ReadyShowsTheReasonOfItsPods) {
  PodSet set("{}");
  set.Converge();
  set.world.Edit(set.Ref(PodType(), "x-pod-0"), [](Json& pod) {
    pod["status"]["containerStatuses"] = *ParseJson(R"([{"name": "busybox", "image": "busybox",
        "state": {"waiting": {"reason": "ImagePullBackOff"}}}])");
  });
  set.Converge();
  EXPECT_EQ(set.ConditionOf("Ready"), "False ImagePullBackOff");
  EXPECT_EQ(set.MessageOf("Ready"),
            "0 of 1 Pods are ready: container \"busybox\" of Pod "
            "\"x-pod-0\" cannot pull the image \"busybox\"");
}
}  // namespace
}  // namespace xebec::planner
