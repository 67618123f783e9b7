// SPDX-License-Identifier: Apache-2.0
#include "cli/text/diff_text.h"

#include "cli/text/field_changes.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

const ResourceType kPods = {"", "v1", "Pod", "pods"};
const ObjectRef kWeb = {kPods, "default", "web"};

std::string Changes(const std::string& live, const std::string& desired) {
  std::string text;
  for (const FieldChange& change : ChangedFields(*ParseJson(live), *ParseJson(desired))) {
    text += change.path + ": " + DumpJson(change.old_value) + " -> " + DumpJson(change.new_value) +
            "\n";
  }
  return text;
}

TEST(ChangedFields, ReportsOldAndNewValuesOfDesiredFieldsOnly) {
  EXPECT_EQ(Changes(R"({"spec":{"replicas":2,"paused":true},"status":{}})",
                    R"({"spec":{"replicas":5,"minReadySeconds":3}})"),
            "spec.minReadySeconds: null -> 3\nspec.replicas: 2 -> 5\n");
}

TEST(ChangedFields, MatchesListElementsByTheirMergeKey) {
  EXPECT_EQ(
      Changes(R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"1"}]}})",
              R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"}]}})"),
      "spec.containers[b].image: \"2\" -> \"3\"\n");
}

TEST(ChangedFields, ComparesOtherListsAsAWhole) {
  EXPECT_EQ(Changes(R"({"spec":{"args":["a"]}})", R"({"spec":{"args":["a","b"]}})"),
            "spec.args: [\"a\"] -> [\"a\",\"b\"]\n");
}

TEST(ChangedFields, ComparesQuantitiesByValue) {
  EXPECT_EQ(
      Changes(R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}})",
              R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m"}}}]}})"),
      "");
}

TEST(ChangedFields, SkipsIdentityOwnerAndDigest) {
  EXPECT_EQ(Changes("{}", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web",
      "ownerReferences":[{"uid":"1"}],"annotations":{"xebec.dev/desired-digest":"v1:0"}}})"),
            "");
}

Operation Operate(Action action) { return {"", kWeb, {}, std::move(action), {}, ""}; }

TEST(DiffText, SaysWhatThePlanNeedsBeforeItIsKnown) {
  Observation observation;
  observation.parent = MakeObjectBytes(R"({"kind":"Website","metadata":{"name":"web"}})");
  Plan plan;
  EXPECT_EQ(DiffText(observation, plan), "");
  plan.live_lists = {kPods};
  plan.hook_requests.emplace_back().call.endpoint.target = "web:8443";
  EXPECT_EQ(DiffText(observation, plan),
            "Website web\n"
            "  Requires a live list of pods before it continues.\n"
            "  Requires an answer of the hook at web:8443: pass --hook ADDRESS to call it.\n");
}

TEST(DiffText, ShowsCreatedChangedAndDeletedObjects) {
  Observation observation;
  observation.parent = MakeObjectBytes(R"({"kind":"Iris","metadata":{"name":"web"}})");
  Plan plan;
  plan.stages = {{"children", {Operate(Apply{MakeObjectBytes(R"({"spec":{"nodeName":"b"}})")})}}};
  EXPECT_EQ(DiffText(observation, plan),
            "Iris web\n  + Pod default/web\n      spec.nodeName: \"b\"\n");
  observation.children = {
      {kPods,
       {MakeObjectBytes(
           R"({"metadata":{"name":"web","namespace":"default"},"spec":{"nodeName":"a"}})")}}};
  EXPECT_EQ(DiffText(observation, plan),
            "Iris web\n  ~ Pod default/web\n      spec.nodeName: \"a\" -> \"b\"\n");
  plan.stages = {{"delete", {Operate(Delete{})}}};
  EXPECT_EQ(DiffText(observation, plan), "Iris web\n  - Pod default/web\n");
}

TEST(DiffText, NamesFinalizersAndGeneratedKeys) {
  Plan plan;
  plan.stages = {{"",
                  {Operate(AddFinalizer{"a/b"}), Operate(RemoveFinalizer{"c/d"}),
                   Operate(EnsureSecret{{"password"}, {}})}}};
  EXPECT_EQ(DiffText({}, plan),
            "a parent\n  ~ Pod default/web\n      metadata.finalizers: add a/b\n"
            "  ~ Pod default/web\n      metadata.finalizers: remove c/d\n"
            "  + Pod default/web   unless it exists\n      data.password: a random value\n");
}

TEST(DiffText, IsEmptyForAPlanWithoutOperations) { EXPECT_EQ(DiffText({}, Plan()), ""); }

}  // namespace
}  // namespace xebec::cli
