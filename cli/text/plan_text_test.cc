// SPDX-License-Identifier: Apache-2.0
#include "cli/text/plan_text.h"

#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

const ResourceType kPods = {"", "v1", "Pod", "pods"};

ObjectRef PodNamed(const std::string& name) { return {kPods, "default", name}; }

Operation Operate(const std::string& name, Action action, Precondition precondition) {
  const ObjectRef target = PodNamed(name);
  return {OperationId(action, target), target, std::move(precondition), std::move(action), {}, ""};
}

TEST(PlanText, ShowsWhatIsCreatedChangedAndDeletedInTheirOrder) {
  Plan plan;
  plan.stages = {
      {"children",
       {Operate("new", Apply{}, {.absent = true}), Operate("old", Apply{}, {.uid = "1"})}},
      {"delete", {Operate("surplus", Delete{}, {.uid = "2"})}}};
  plan.children = {{PodNamed("kept"), Intent::kKeep, ""},
                   {PodNamed("new"), Intent::kEnsure, ""},
                   {PodNamed("surplus"), Intent::kDelete, "scale down"}};
  EXPECT_EQ(PlanText("PodSet default/web", plan),
            "PodSet default/web: 3 operations, 1 child object unchanged\n"
            "  1.   +   apply    Pod default/new\n"
            "  1.   ~   apply    Pod default/old\n"
            "  2.   -   delete   Pod default/surplus   scale down\n");
}

TEST(PlanText, ChildrenThatHaveToWaitAreNotAsTheyShouldBe) {
  Plan plan;
  plan.children = {{PodNamed("right"), Intent::kEnsure, ""},
                   {PodNamed("leaving"), Intent::kEnsure, "waits"},
                   {PodNamed("ended"), Intent::kDelete, "ended"}};
  EXPECT_EQ(PlanText("PodSet default/web", plan),
            "PodSet default/web: 0 operations, 1 child object unchanged\n"
            "  .   later   Pod default/leaving   waits\n");
}

TEST(PlanText, ShowsConditionsAndOtherFieldsOfTheStatus) {
  Plan plan;
  plan.status.emplace();
  plan.status->changed = true;
  plan.status->object = MakeObjectBytes(
      R"({"status":{"conditions":[{"type":"Ready","status":"False","reason":"Progressing",)"
      R"("message":"0 of 1"}],"replicas":1}})");
  EXPECT_EQ(PlanText("Iris default/web", plan),
            "Iris default/web: 0 operations\n"
            "Status (changed):\n"
            "  Ready   False   Progressing   0 of 1\n"
            "  replicas   1\n");
}

TEST(PlanText, SaysWhatComesLaterAndWhatIsWrong) {
  Plan plan;
  plan.live_lists = {kPods};
  plan.resync_after = absl::Seconds(30);
  plan.verdict = Verdict::kInvalid;
  plan.notes = {"no uid"};
  EXPECT_EQ(PlanText("a parent", plan),
            "a parent: 0 operations\n"
            "Requires a live list of pods before it continues.\n"
            "Reconciles again after 30s.\n"
            "The parent is invalid, so nothing but its status is written.\n"
            "Note: no uid\n");
}

TEST(ParentOf, NamesWhatTheObservationShows) {
  Observation observation;
  EXPECT_EQ(ParentOf(observation), "a parent");
  observation.parent = MakeObjectBytes(R"({"kind":"Iris","metadata":{"name":"web"}})");
  EXPECT_EQ(ParentOf(observation), "Iris web");
  observation.parent =
      MakeObjectBytes(R"({"kind":"Iris","metadata":{"name":"web","namespace":"default"}})");
  EXPECT_EQ(ParentOf(observation), "Iris default/web");
}

}  // namespace
}  // namespace xebec::cli
