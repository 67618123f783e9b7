// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/immortal/immortal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/model/names.h"
#include "planner/kinds/built_in.h"
#include "planner/kinds/immortal/start_count.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/pod_scene.h"

namespace xebec::planner {
namespace {

using testing::Created;
using testing::Deleted;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OperationIds;
using testing::PodScene;
using ::testing::SizeIs;

constexpr const char* kGroup = "immortalcontainer.flugel.it";
constexpr const char* kPod = "x-immortalpod";

struct Immortal : PodScene {
  explicit Immortal(const char* group = kGroup, const std::string& name = "x",
                    std::string_view spec = R"({"image": "nginx:latest"})")
      : PodScene(group, "ImmortalContainer", name, spec) {}

  void ConvergeReady() {
    Converge();
    MakeAllReady();
    Converge();
  }
  int64_t Starts() const { return FindInt(Status(), {"startTimes"}).value_or(-1); }
  std::string CurrentPod() const { return FindString(Status(), {"currentPod"}); }
  std::string Image() const { return FindString(Pod(kPod)["spec"]["containers"][0], {"image"}); }
  // The Pod ends by itself `times` times, each as soon as it runs; pauses are waited for.
  void EndTimes(int times) {
    for (int i = 0; i < times; ++i) {
      SetPod(kPod, "Failed");
      Converge();
      world.now += absl::Minutes(5);
      Converge();
      MakeAllReady();
      Converge();
    }
  }
};

TEST(ImmortalContainer, FirstPodIsTheOneOfTheArticle) {
  Immortal immortal;
  immortal.ConvergeReady();
  const Json pod = immortal.Pod(kPod);
  EXPECT_EQ(pod["metadata"]["labels"], *ParseJson(R"({"app": "x"})"));
  EXPECT_EQ(pod["spec"]["containers"],
            *ParseJson(R"([{"name": "acontainer", "image": "nginx:latest"}])"));
  EXPECT_EQ(immortal.Starts(), 1);
  EXPECT_EQ(immortal.CurrentPod(), kPod);
  EXPECT_EQ(immortal.ConditionOf("Ready"), "True PodReady");
  EXPECT_THAT(immortal.world.events,
              ElementsAre("Normal Created Created pod \"x-immortalpod\" (start 1)"));
}

TEST(ImmortalContainer, WhenIdleNothingIsWrittenAndNothingIsScheduled) {
  Immortal immortal;
  immortal.ConvergeReady();
  EXPECT_TRUE(WritesNothing(immortal.Ask()));
  EXPECT_FALSE(immortal.Ask().resync_after.has_value());
}

TEST(ImmortalContainer, PodDeletedByAnotherHandComesBackAndCountsOneMore) {
  Immortal immortal;
  for (int64_t start = 1; start <= 5; ++start) {
    immortal.ConvergeReady();
    EXPECT_EQ(immortal.Starts(), start);
    immortal.Kill(kPod);
  }
  immortal.Converge();
  EXPECT_EQ(immortal.CurrentPod(), kPod);
  EXPECT_EQ(immortal.ConditionOf("BackOff"), "") << "who deletes it wants it back at once";
}

// The original never noticed a Pod that had terminated but still existed.
TEST(ImmortalContainer, PodThatTerminatedIsDeletedByUidThenMadeAgain) {
  for (const char* phase : {"Succeeded", "Failed"}) {
    Immortal immortal;
    immortal.ConvergeReady();
    const std::string uid = FindString(immortal.Pod(kPod), {"metadata", "uid"});
    immortal.SetPod(kPod, phase);
    EXPECT_THAT(Deleted(immortal.Reconcile()), IsEmpty()) << "first its end is recorded";
    const Plan plan = immortal.Reconcile();
    ASSERT_THAT(Deleted(plan), ElementsAre(kPod)) << phase;
    EXPECT_EQ(plan.stages[0].operations[0].precondition.uid, uid);
    EXPECT_THAT(Created(plan), IsEmpty());
    immortal.Converge();
    EXPECT_EQ(immortal.Starts(), 2);
    EXPECT_NE(FindString(immortal.Pod(kPod), {"metadata", "uid"}), uid);
  }
}

// The original never cleared it.
TEST(ImmortalContainer, CurrentPodIsEmptyWhileNoneLives) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.world.linger = true;
  immortal.world.Delete(immortal.Ref(PodType(), kPod));
  immortal.Converge();
  EXPECT_EQ(immortal.CurrentPod(), "");
  EXPECT_EQ(immortal.ConditionOf("Ready"), "False PodTerminating");
  EXPECT_EQ(immortal.Starts(), 1);
  immortal.Kill(kPod);
  immortal.Converge();
  EXPECT_EQ(immortal.CurrentPod(), kPod);
}

// The original ignored it.
TEST(ImmortalContainer, ImageChangeReplacesThePod) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EditSpec(R"({"image": "nginx:2"})");
  immortal.ConvergeReady();
  EXPECT_EQ(immortal.Image(), "nginx:2");
  EXPECT_EQ(immortal.Starts(), 2);
  EXPECT_EQ(immortal.ConditionOf("BackOff"), "");
}

TEST(ImmortalContainer, ReadyIsFalseUntilThePodOfAChangedImageIsReady) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EditSpec(R"({"image": "nginx:2"})");
  immortal.Reconcile();
  EXPECT_EQ(immortal.ConditionOf("Ready"), "False PodOutdated");
  EXPECT_EQ(immortal.ConditionOf("Reconciling"), "True Progressing");
  immortal.ConvergeReady();
  EXPECT_EQ(immortal.ConditionOf("Ready"), "True PodReady");
}

TEST(ImmortalContainer, OtherChangesReplaceNoPod) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EditSpec(R"({"note": "kept"})");
  immortal.Converge();
  EXPECT_EQ(immortal.Starts(), 1);
}

TEST(ImmortalContainer, NothingIsStartedWhileAPodTerminates) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.world.linger = true;
  immortal.EditSpec(R"({"image": "nginx:2"})");
  EXPECT_THAT(Deleted(immortal.Reconcile()), ElementsAre(kPod));
  EXPECT_THAT(OperationIds(immortal.Reconcile()), IsEmpty());
  EXPECT_THAT(OperationIds(immortal.Reconcile()), IsEmpty());
}

TEST(ImmortalContainer, OfTwoLivePodsOneGoes) {
  Immortal immortal;
  immortal.Adopt(
      "a", *ParseJson(R"({"containers": [{"name": "acontainer", "image": "nginx:latest"}]})"));
  immortal.Adopt(
      "b", *ParseJson(R"({"containers": [{"name": "acontainer", "image": "nginx:latest"}]})"));
  immortal.Converge();
  EXPECT_THAT(immortal.Pods(), SizeIs(1));
}

TEST(ImmortalContainer, RestartPolicyIsThatOfTheGroup) {
  Immortal first(kGroup), second("immortalcontainers.flugel.it");
  first.Converge();
  second.Converge();
  EXPECT_FALSE(first.Pod(kPod)["spec"].contains("restartPolicy"));
  EXPECT_EQ(second.Pod(kPod)["spec"]["restartPolicy"], "OnFailure");
}

TEST(ImmortalContainer, PodOfTheOriginalIsKeptWithItsCount) {
  Immortal immortal("immortalcontainers.flugel.it");
  immortal.world.Edit(immortal.parent, [](Json& parent) { parent["status"]["startTimes"] = 5; });
  immortal.Adopt("x-immortalpod", *ParseJson(R"({"restartPolicy": "Always",
      "containers": [{"name": "acontainer", "image": "nginx:latest", "imagePullPolicy": "Always"}]})"));
  const std::string uid = FindString(immortal.Pod(kPod), {"metadata", "uid"});
  immortal.ConvergeReady();
  EXPECT_EQ(FindString(immortal.Pod(kPod), {"metadata", "uid"}), uid);
  EXPECT_EQ(immortal.Pod(kPod)["spec"]["restartPolicy"], "Always") << "cannot be changed in a Pod";
  EXPECT_EQ(immortal.Starts(), 5);
  EXPECT_EQ(immortal.CurrentPod(), kPod);
  immortal.Kill(kPod);
  immortal.ConvergeReady();
  EXPECT_EQ(immortal.Starts(), 6);
}

TEST(ImmortalContainer, PodOfTheOriginalUnderAnotherNameIsKept) {
  const std::string name(60, 'n');
  Immortal immortal(kGroup, name);
  const std::string pod = name + "-immortalpod";
  immortal.Adopt(
      pod, *ParseJson(R"({"containers": [{"name": "acontainer", "image": "nginx:latest"}]})"));
  immortal.ConvergeReady();
  EXPECT_THAT(immortal.Pods(), ElementsAre(pod));
  EXPECT_EQ(immortal.CurrentPod(), pod);
}

TEST(ImmortalContainer, PodsThatEndAgainAndAgainAreStartedWithAGrowingPause) {
  Immortal immortal;
  immortal.ConvergeReady();
  std::vector<absl::Duration> pauses;
  for (int i = 0; i < 8; ++i) {
    immortal.SetPod(kPod, "Failed");
    immortal.Converge();
    const absl::Duration pause = immortal.Ask().resync_after.value_or(absl::ZeroDuration());
    pauses.push_back(pause);
    immortal.world.now += pause;
    immortal.ConvergeReady();
  }
  const auto seconds = [](int64_t s) { return absl::Seconds(s); };
  EXPECT_THAT(pauses, ElementsAre(seconds(0), seconds(10), seconds(20), seconds(40), seconds(80),
                                  seconds(160), seconds(300), seconds(300)));
  EXPECT_EQ(immortal.Starts(), 9);
}

TEST(ImmortalContainer, PauseIsWrittenOnceAndVisible) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EndTimes(2);
  immortal.SetPod(kPod, "Failed");
  immortal.Converge();
  const std::string next = FindString(immortal.Status(), {"nextStart"});
  EXPECT_EQ(next, "2026-01-01T00:10:20Z");
  EXPECT_EQ(immortal.ConditionOf("BackOff"), "True EndsRepeatedly");
  EXPECT_THAT(immortal.MessageOf("BackOff"), HasSubstr(next));
  EXPECT_THAT(immortal.world.events.back(), HasSubstr("Warning EndsRepeatedly"));
  immortal.world.now += absl::Seconds(7);
  EXPECT_TRUE(WritesNothing(immortal.Ask()));
  EXPECT_THAT(immortal.Pods(), ElementsAre(kPod)) << "its logs can be read during the pause";
  immortal.world.now += absl::Seconds(13);
  immortal.ConvergeReady();
  EXPECT_FALSE(immortal.Status().contains("nextStart"));
  EXPECT_EQ(immortal.ConditionOf("BackOff"), "");
}

TEST(ImmortalContainer, PauseOutlivesThePodThatEnded) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EndTimes(2);
  immortal.SetPod(kPod, "Failed");
  immortal.Converge();
  immortal.Kill(kPod);
  immortal.Converge();
  EXPECT_THAT(immortal.Pods(), IsEmpty());
  EXPECT_EQ(immortal.Ask().resync_after, absl::Seconds(20));
}

TEST(ImmortalContainer, ChangeOfTheSpecEndsThePause) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EndTimes(3);
  immortal.SetPod(kPod, "Failed");
  immortal.Converge();
  immortal.EditSpec(R"({"image": "nginx:2"})");
  immortal.ConvergeReady();
  EXPECT_EQ(immortal.Image(), "nginx:2");
  EXPECT_EQ(immortal.ConditionOf("BackOff"), "");
  EXPECT_FALSE(immortal.Status().contains("quickEnds"));
}

TEST(ImmortalContainer, PodThatLivedTenMinutesStartsAtOnceAgain) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EndTimes(3);
  immortal.world.now += absl::Minutes(10);
  immortal.SetPod(kPod, "Failed");
  immortal.ConvergeReady();
  EXPECT_FALSE(immortal.Ask().resync_after.has_value());
  EXPECT_EQ(immortal.CurrentPod(), kPod);
}

TEST(ImmortalContainer, PodThatLivedTenMinutesAndWasDeletedIsBetweenTheEndsOfOthers) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EndTimes(3);
  immortal.world.now += absl::Hours(24);
  immortal.Converge();
  immortal.Kill(kPod);
  immortal.ConvergeReady();
  immortal.SetPod(kPod, "Failed");
  immortal.Converge();
  EXPECT_EQ(immortal.ConditionOf("BackOff"), "");
  EXPECT_EQ(FindInt(immortal.Status(), {"quickEnds"}), 1);
}

TEST(ImmortalContainer, PodThatTerminatesAMinutePastItsGraceIsNamedAndNotReplaced) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.world.linger = true;
  immortal.world.Delete(immortal.Ref(PodType(), kPod));
  immortal.world.now += absl::Seconds(61);
  immortal.Converge();
  EXPECT_EQ(immortal.ConditionOf("PodsStuck"), "True TerminatingTooLong");
  EXPECT_THAT(immortal.Pods(), ElementsAre(kPod));
}

TEST(ImmortalContainer, NamesOfAllLengthsGiveValidPodNamesWithoutCollisions) {
  std::set<std::string> names;
  for (size_t length = 40; length <= 253; ++length) {
    for (const char* unit : {"a", "a.b", "ab-", "0."}) {
      std::string name;
      while (name.size() < length) name += unit;
      name.resize(length - 1);
      name += 'z';
      if (!IsDns1123Subdomain(name)) continue;
      const std::string pod = ImmortalPodName(name);
      EXPECT_TRUE(IsDns1123Subdomain(pod)) << pod;
      EXPECT_LE(pod.size(), 63u);
      EXPECT_TRUE(names.insert(pod).second) << name;
    }
  }
}

TEST(ImmortalContainer, MissingImageIsInvalidAndLeavesThePodAlone) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.EditSpec(R"({"image": null})");
  immortal.Converge();
  EXPECT_EQ(immortal.ConditionOf("Ready"), "False InvalidSpec");
  EXPECT_THAT(immortal.MessageOf("Ready"), HasSubstr("spec.image"));
  EXPECT_EQ(immortal.Image(), "nginx:latest");
}

TEST(ImmortalContainer, ALostOrEditedNumberOfAStartIsRestored) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.Kill(kPod);
  immortal.ConvergeReady();
  for (const Json& annotation : {Json(), Json("4"), Json("9223372036854775807")}) {
    immortal.world.Edit(immortal.Ref(PodType(), kPod), [&](Json& pod) {
      pod["metadata"].erase("annotations");
      if (!annotation.is_null()) pod["metadata"]["annotations"]["xebec.dev/start"] = annotation;
    });
    immortal.Converge();
    EXPECT_EQ(immortal.Starts(), 2);
    EXPECT_EQ(immortal.Pod(kPod)["metadata"]["annotations"]["xebec.dev/start"], "2");
  }
}

TEST(ImmortalContainer, ReplacesEndedPodsAlsoWhereNothingCanBeRecorded) {
  Immortal immortal;
  immortal.ConvergeReady();
  immortal.SetPod(kPod, "Failed");
  KindRegistry registry = BuiltInKinds();
  const auto reconcile = [&] {
    Observation seen = immortal.world.Observe(immortal.parent, immortal.kind.description);
    seen.without_status = true;
    Plan plan = MakePlan(seen, registry);
    immortal.world.Carry(plan);
    return plan;
  };
  EXPECT_THAT(Deleted(reconcile()), IsEmpty()) << "not in a hot loop";
  immortal.world.now += absl::Seconds(10);
  EXPECT_THAT(Deleted(reconcile()), ElementsAre(kPod));
  EXPECT_THAT(Created(reconcile()), ElementsAre(kPod));
}

// A structural schema drops what it does not declare.
TEST(ImmortalContainer, ReplacesEndedPodsUnderTheCrdOfTheOriginal) {
  Immortal immortal;
  const auto reconcile = [&] {
    immortal.Reconcile();
    immortal.world.Edit(immortal.parent, [](Json& parent) {
      parent["status"] = {{"currentPod", parent["status"]["currentPod"]},
                          {"startTimes", parent["status"]["startTimes"]}};
    });
  };
  for (int64_t start = 1; start <= 3; ++start) {
    for (int i = 0; i < 4; ++i) reconcile();
    EXPECT_EQ(immortal.Starts(), start);
    immortal.SetPod(kPod, "Failed");
    immortal.world.now += absl::Seconds(10);
  }
}

TEST(ImmortalContainer, ReadyShowsTheReasonOfItsPod) {
  PodScene immortal("immortalcontainer.flugel.it", "ImmortalContainer", "x", R"({"image": "a"})");
  immortal.Converge();
  immortal.world.Edit(immortal.Ref(PodType(), "x-immortalpod"), [](Json& pod) {
    pod["status"]["conditions"] = *ParseJson(R"([{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": "0/1 nodes are available"}])");
  });
  immortal.Converge();
  EXPECT_EQ(immortal.ConditionOf("Ready"), "False Unschedulable");
}
}  // namespace
}  // namespace xebec::planner
