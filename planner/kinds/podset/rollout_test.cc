// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "planner/core/make_plan.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/podset/pod_set.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/pod_set_scene.h"

namespace xebec::planner {
namespace {

using testing::Deleted;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using testing::PodSet;

Json OriginalPodSpec() {
  return {{"containers", Json::array({{{"name", "busybox"},
                                       {"image", "busybox"},
                                       {"command", Json::array({"sleep", "3600"})},
                                       {"imagePullPolicy", "Always"}}})},
          {"restartPolicy", "Always"}};
}

// Reconciles once without earlier outcomes, as a watcher that has just started.
void ForgetOutcomes(PodSet& set) {
  Observation seen = set.world.Observe(set.parent, set.kind.description);
  seen.last_outcomes.clear();
  KindRegistry registry;
  registry.Register(set.kind);
  set.world.Carry(MakePlan(seen, registry));
}

TEST(PodSetRollout, ChangeReplacesPodsOneAtATimeAndWaitsForReady) {
  for (const char* change : {R"({"image": "busybox:2"})", R"({"command": ["sleep", "7200"]})",
                             R"({"env": [{"name": "A", "value": "1"}]})",
                             R"({"resources": {"limits": {"cpu": "1"}}})"}) {
    PodSet set(R"({"replicas": 3})");
    set.ConvergeReady();
    set.EditSpec(change);
    for (const char* next : {"x-pod-2", "x-pod-1", "x-pod-0"}) {
      EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre(next)) << change;
      EXPECT_EQ(set.ConditionOf("Progressing"), "True Replacing");
      set.Converge();
      EXPECT_THAT(Deleted(set.Ask()), IsEmpty()) << "the new Pod is not ready yet";
      set.MakeAllReady();
    }
    set.Converge();
    EXPECT_EQ(set.ConditionOf("Ready"), "True PodsReady");
    EXPECT_THAT(set.violations, IsEmpty());
  }
}

TEST(PodSetRollout, VariableThatIsTakenAwayReplacesPods) {
  PodSet set(R"({"replicas": 1, "env": [{"name": "A", "value": "1"}]})");
  set.ConvergeReady();
  set.EditSpec(R"({"env": null})");
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-0"));
  set.Converge();
  EXPECT_FALSE(set.Pod("x-pod-0")["spec"]["containers"][0].contains("env"));
}

TEST(PodSetRollout, ChangeOfAnythingElseReplacesNoPod) {
  PodSet set(R"({"replicas": 2, "resources": {"limits": {"cpu": "1"}}})");
  set.ConvergeReady();
  set.EditSpec(
      R"({"resources": {"limits": {"cpu": "1000m"}}, "maxUnavailable": 2, "images": ["kept"]})");
  set.world.Edit(set.parent, [](Json& parent) { parent["metadata"]["labels"]["a"] = "b"; });
  EXPECT_THAT(Deleted(set.Reconcile()), IsEmpty());
  set.Converge();
  EXPECT_THAT(set.violations, IsEmpty());
}

TEST(PodSetRollout, MaxUnavailablePodsAreReplacedAtATime) {
  PodSet set(R"({"replicas": 4, "maxUnavailable": 2})");
  set.ConvergeReady();
  set.EditSpec(R"({"image": "busybox:2"})");
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-2", "x-pod-3"));
}

TEST(PodSetRollout, PodsThatAreNotReadyAreReplacedFirstAndCostNoBudget) {
  struct Case {
    std::vector<std::string> not_ready;
    const char* max_unavailable;
    std::vector<std::string> deleted;
  };
  for (const Case& c : std::vector<Case>{
           {{"x-pod-0"}, "1", {"x-pod-0"}},
           {{"x-pod-0", "x-pod-1", "x-pod-3"}, "1", {"x-pod-0", "x-pod-1", "x-pod-3"}},
           {{"x-pod-0", "x-pod-1"}, "2", {"x-pod-0", "x-pod-1"}},
           {{"x-pod-0"}, "2", {"x-pod-0", "x-pod-3"}}}) {  // One ready Pod more may be missing.
    PodSet set(absl::StrCat(R"({"replicas": 4, "maxUnavailable": )", c.max_unavailable, "}"));
    set.ConvergeReady();
    for (const std::string& name : c.not_ready) set.SetPod(name, "Running", false);
    set.EditSpec(R"({"image": "busybox:2"})");
    EXPECT_THAT(Deleted(set.Reconcile()), ElementsAreArray(c.deleted)) << c.max_unavailable;
  }
}

TEST(PodSetRollout, TakingBackABadChangeHealsWithoutAHand) {
  PodSet set(R"({"replicas": 3})");
  set.ConvergeReady();
  set.EditSpec(R"({"image": "no-such-image"})");
  set.Converge();  // x-pod-2 is replaced and never gets ready.
  EXPECT_EQ(set.ConditionOf("Ready"), "False PodsNotReady");
  set.EditSpec(R"({"image": null})");
  EXPECT_THAT(Deleted(set.Reconcile()), ElementsAre("x-pod-2"));
  set.ConvergeReady();
  EXPECT_EQ(set.ConditionOf("Ready"), "True PodsReady");
  EXPECT_EQ(FindString(set.Pod("x-pod-2")["spec"]["containers"][0], {"image"}), "busybox");
}

TEST(PodSetRollout, FieldsThatAdmissionAddsReplaceNoPod) {
  PodSet set(R"({"replicas": 1})");
  const auto admit = set.world.webhook;
  set.world.webhook = [&](const ObjectRef& ref, Json& pod) {
    Json& container = pod["spec"]["containers"][0];
    container["resources"] = {{"requests", {{"cpu", "100m"}}}};
    container["terminationMessagePath"] = "/dev/termination-log";
    pod["spec"]["containers"].push_back({{"name", "sidecar"}, {"image", "proxy"}});
    admit(ref, pod);
  };
  set.Converge();
  set.world.webhook = admit;
  set.MakeAllReady();
  set.Converge();
  EXPECT_EQ(set.world.List("Pod").size(), 1u);
  EXPECT_TRUE(WritesNothing(set.Ask()));
  EXPECT_THAT(set.violations, IsEmpty());
}

TEST(PodSetRollout, FieldsThatAdmissionRewritesAreNeitherFoughtNorReplaced) {
  PodSet set(R"({"replicas": 1, "resources": {"limits": {"cpu": "1"}}})");
  const auto admit = set.world.webhook;
  set.world.webhook = [&](const ObjectRef& ref, Json& pod) {
    pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "2";
    admit(ref, pod);
  };
  set.ConvergeReady();
  set.world.webhook = admit;
  const std::string uid = FindString(set.Pod("x-pod-0"), {"metadata", "uid"});
  set.Converge();
  ForgetOutcomes(set);  // The watcher is another one.
  EXPECT_EQ(FindString(set.Pod("x-pod-0"), {"metadata", "uid"}), uid);
  EXPECT_THAT(set.violations, IsEmpty());
}

TEST(PodSetRollout, AdoptedPodOfTheOriginalIsKeptAndLabelledWithoutReplacement) {
  PodSet set(R"({"replicas": 1})");
  set.Adopt("x-pod", OriginalPodSpec());
  const std::string uid = FindString(set.Pod("x-pod"), {"metadata", "uid"});
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod"));
  EXPECT_EQ(FindString(set.Pod("x-pod"), {"metadata", "uid"}), uid);
  EXPECT_EQ(set.Pod("x-pod")["metadata"]["labels"]["version"], "v0.1");
  EXPECT_EQ(set.ConditionOf("Ready"), "True PodsReady");
  EXPECT_THAT(set.violations, IsEmpty());
}

TEST(PodSetRollout, AdoptedPodCountsAndOrdinalsTakeItsPlaceWhenItEnds) {
  PodSet set(R"({"replicas": 3})");
  set.Adopt("x-pod", OriginalPodSpec());
  set.ConvergeReady();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod", "x-pod-0", "x-pod-1"));
  EXPECT_EQ(set.Status()["podNames"], Json::array({"x-pod-0", "x-pod-1", "x-pod"}));
  set.Kill("x-pod");
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0", "x-pod-1", "x-pod-2"));
}

TEST(PodSetRollout, AdoptedPodsAreTheLastToGoWhenTheSetShrinks) {
  PodSet set(R"({"replicas": 3})");
  set.Adopt("x-pod", OriginalPodSpec());
  set.ConvergeReady();
  set.EditSpec(R"({"replicas": 1})");
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod"));
}

TEST(PodSetRollout, AdoptedPodIsReplacedByAnOrdinalWhenTheTemplateChanges) {
  PodSet set(R"({"replicas": 1})");
  set.Adopt("x-pod", OriginalPodSpec());
  set.Converge();
  set.EditSpec(R"({"image": "busybox:2"})");
  set.Converge();
  EXPECT_THAT(set.Pods(), ElementsAre("x-pod-0"));
}

TEST(PodSetRollout, UpgradeThatDigestsOtherwiseRestartsNobodysPod) {
  PodSet set(R"({"replicas": 1})");
  set.ConvergeReady();
  set.world.Edit(set.Ref(PodType(), "x-pod-0"), [](Json& pod) {
    pod["metadata"]["annotations"][std::string(kTemplateAnnotation)] = "v0:0123456789abcdef";
  });
  EXPECT_THAT(Deleted(set.Reconcile()), IsEmpty());
}

}  // namespace
}  // namespace xebec::planner
