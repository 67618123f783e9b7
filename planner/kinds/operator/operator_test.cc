// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/operator/operator.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/planning.h"

namespace xebec::planner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ResourceType kWebs{"example.com", "v1", "Web", "webs", false};

Json WebOperator() {
  return Json::parse(R"({
    "apiVersion": "xebec.dev/v1alpha1", "kind": "Operator",
    "metadata": {"name": "web.example.com", "uid": "op", "generation": 1, "resourceVersion": "3"},
    "spec": {"parent": {"group": "example.com", "version": "v1", "resource": "webs"},
             "hook": {"address": "web:8443"}}})");
}

DeclarationFacts AllIsWell() {
  DeclarationFacts facts;
  facts.resources = {{"example.com", "v1", "webs", kWebs, ""}};
  facts.hook = HookState{true, "r1", ""};
  facts.parents = 7;
  facts.problems = 2;
  return facts;
}

Plan PlanOf(const Json& object, const DeclarationFacts& facts) {
  Observation observation;
  observation.parent = MakeObjectBytes(DumpJson(object));
  observation.envelope.parent.uid = "op";
  observation.now = absl::FromUnixSeconds(1'800'000'000);
  observation.declaration_facts = facts;
  KindRegistry kinds;
  for (Kind& kind : OperatorKinds()) kinds.Register(std::move(kind));
  return MakePlan(observation, kinds);
}

// "False Refused".
std::string ConditionOf(const Plan& plan, const std::string& type) {
  const Json status = testing::StatusOf(plan);
  for (const Json& each : status["conditions"]) {
    if (each["type"] == type) {
      return each["status"].get<std::string>() + " " + each["reason"].get<std::string>();
    }
  }
  return "";
}

TEST(Operator, ShowsWhatTheWatcherKnows) {
  const Plan plan = PlanOf(WebOperator(), AllIsWell());
  EXPECT_EQ(ConditionOf(plan, "Ready"), "True Running");
  EXPECT_EQ(ConditionOf(plan, "Accepted"), "True Accepted");
  EXPECT_EQ(ConditionOf(plan, "ResourcesServed"), "True Served");
  EXPECT_EQ(ConditionOf(plan, "HookAvailable"), "True HookAvailable");
  const Json status = testing::StatusOf(plan);
  EXPECT_EQ(status["parents"], 7);
  EXPECT_EQ(status["problems"], 2);
  EXPECT_EQ(status["hookRevision"], "r1");
  EXPECT_EQ(status["resources"][0]["kind"], "Web");
  EXPECT_EQ(status["resources"][0]["scope"], "Namespaced");
  EXPECT_THAT(plan.stages, IsEmpty()) << "it needs no finalizer";
}

TEST(Operator, SaysWhatIsMissing) {
  DeclarationFacts facts = AllIsWell();
  facts.hook.reset();
  EXPECT_EQ(ConditionOf(PlanOf(WebOperator(), facts), "Ready"), "Unknown Connecting");
  facts.hook = HookState{false, "", "connection refused"};
  const Plan unavailable = PlanOf(WebOperator(), facts);
  EXPECT_EQ(ConditionOf(unavailable, "Ready"), "False HookUnavailable");
  EXPECT_THAT(DumpJson(testing::StatusOf(unavailable)), HasSubstr("connection refused"));
  facts.resources[0].type.reset();
  EXPECT_EQ(ConditionOf(PlanOf(WebOperator(), facts), "Ready"), "Unknown Resolving");
  facts.resources[0].problem = "webs.example.com/v1 is not served";
  EXPECT_EQ(ConditionOf(PlanOf(WebOperator(), facts), "Ready"), "False NotServed");
  facts.resources[0].type = kWebs;
  facts.resources[0].problem = "webs.example.com/v1: HTTP 403";
  EXPECT_EQ(ConditionOf(PlanOf(WebOperator(), facts), "Ready"), "False NotReadable");
  facts.refusal = "another operator has these parents";
  const Plan refused = PlanOf(WebOperator(), facts);
  EXPECT_EQ(ConditionOf(refused, "Ready"), "False Refused");
  EXPECT_FALSE(refused.status->events.empty());
}

TEST(Operator, SaysWhatFailsForItsParents) {
  DeclarationFacts facts = AllIsWell();
  facts.problems = 0;
  EXPECT_EQ(ConditionOf(PlanOf(WebOperator(), facts), "ParentsReconciled"), "True Reconciled");
  facts.problems = 2;
  facts.failure = "shop/one: no answer within 10s";
  const Plan plan = PlanOf(WebOperator(), facts);
  EXPECT_EQ(ConditionOf(plan, "ParentsReconciled"), "False ReconcileFailed");
  EXPECT_EQ(ConditionOf(plan, "Ready"), "True Running") << "one parent must not stop a rollout";
  EXPECT_THAT(DumpJson(testing::StatusOf(plan)),
              HasSubstr("The last reconcile of 2 of 7 parents failed: shop/one: no answer"));
  ASSERT_EQ(plan.status->events.size(), 1u);
  EXPECT_EQ(plan.status->events[0].reason, "ReconcileFailed");
  facts.problems = 0;
  facts.failure = "Xebec pauses the calls of the hook because they fail";
  EXPECT_THAT(DumpJson(testing::StatusOf(PlanOf(WebOperator(), facts))), HasSubstr(facts.failure));
}

TEST(Operator, APausedOneIsNotReady) {
  Json object = WebOperator();
  object["spec"]["paused"] = true;
  EXPECT_EQ(ConditionOf(PlanOf(object, AllIsWell()), "Ready"), "False Paused");
}

TEST(Operator, AWrongSpecIsShown) {
  Json object = WebOperator();
  object["spec"]["hook"]["address"] = "https://web";
  const Plan plan = PlanOf(object, AllIsWell());
  EXPECT_EQ(plan.verdict, Verdict::kInvalid);
  EXPECT_EQ(ConditionOf(plan, "Ready"), "False InvalidSpec");
  EXPECT_THAT(DumpJson(testing::StatusOf(plan)), HasSubstr("spec.hook.address must be host:port"));
}

TEST(Operator, TheFinalizerStaysUntilNoParentHasOne) {
  Json object = WebOperator();
  object["spec"]["finalizer"] = true;
  EXPECT_EQ(testing::OperationIds(PlanOf(object, AllIsWell())),
            std::vector<std::string>{"add-finalizer operators.xebec.dev web.example.com"});
  object["metadata"]["finalizers"] = {"operators.xebec.dev/release"};
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  DeclarationFacts facts = AllIsWell();
  const Plan waits = PlanOf(object, facts);
  EXPECT_THAT(waits.stages, IsEmpty());
  EXPECT_EQ(ConditionOf(waits, "Ready"), "False Deleting");
  facts.released = true;
  EXPECT_EQ(testing::OperationIds(PlanOf(object, facts)),
            std::vector<std::string>{"remove-finalizer operators.xebec.dev web.example.com"});
}

TEST(Operator, ADeletedOneSaysWhichParentOrRightKeepsIt) {
  Json object = WebOperator();
  object["spec"]["finalizer"] = true;
  object["metadata"]["finalizers"] = {"operators.xebec.dev/release"};
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  DeclarationFacts facts = AllIsWell();
  facts.problems = 0;
  const auto message = [&] { return DumpJson(testing::StatusOf(PlanOf(object, facts))); };
  EXPECT_THAT(message(), HasSubstr("finalizer of this operator from all parents\""));
  facts.problems = 1;
  facts.failure = "shop/one: the applier is not permitted to write this object";
  EXPECT_THAT(message(), HasSubstr("from all parents. The last reconcile of 1 of 7 parents failed: "
                                   "shop/one: the applier is not permitted"));
  facts.problems = 0;
  facts.failure.clear();
  facts.resources.at(0).problem = "webs.example.com may not be listed or watched (403)";
  EXPECT_THAT(message(), HasSubstr("from all parents; webs.example.com may not be listed"));
}

}  // namespace
}  // namespace xebec::planner
