// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/hooks/testing/hook_scene.h"
#include "tests/support/planning.h"

namespace xebec::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace wire = ::xebec::hooks::v1;

Json WebWith(const Json& metadata) {
  Json web = Json::parse(R"({"apiVersion": "example.com/v1", "kind": "Web", "metadata":
      {"name": "one", "namespace": "shop", "uid": "u", "resourceVersion": "5", "generation": 1}})");
  web["metadata"].update(metadata);
  return web;
}

TEST(PlanDeclared, AsksTheHookBeforeItWrites) {
  const Plan plan = PlanWeb(ObserveWeb(WebOperator()));
  ASSERT_EQ(plan.hook_requests.size(), 1u);
  const HookCall& call = plan.hook_requests[0].call;
  EXPECT_EQ(call.operator_name, "web.example.com");
  EXPECT_EQ(Describe(call.endpoint), "service shop/web:8443");
  EXPECT_EQ(call.timeout, absl::Seconds(10));
  EXPECT_TRUE(WritesNothing(plan));
  EXPECT_FALSE(plan.status.has_value());
}

TEST(PlanDeclared, PlansWhatTheHookDecides) {
  wire::SyncResponse answer = OneDeployment("a");
  answer.mutable_desired()->set_status(R"({"replicas":2})");
  wire::Condition* ready = answer.mutable_desired()->add_conditions();
  ready->set_type("Ready");
  ready->set_status("False");
  ready->set_reason("Starting");
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  EXPECT_TRUE(plan.hook_requests.empty());
  EXPECT_THAT(OperationIds(plan), ElementsAre("apply deployments.apps shop/a"));
  EXPECT_EQ(AppliedObject(plan, "apply deployments.apps shop/a")["metadata"]["namespace"], "shop");
  EXPECT_EQ(StatusOf(plan)["replicas"], 2);
  EXPECT_EQ(plan, PlanWithAnswer(ObserveWeb(WebOperator()), answer)) << "replays";
}

TEST(PlanDeclared, AnAnswerToAnotherRequestDoesNotCount) {
  Observation observation = ObserveWeb(WebOperator());
  const std::string digest = PlanWeb(observation).hook_requests[0].digest;
  SetParent(WebWith({{"resourceVersion", "6"}}), &observation);
  observation.hook_answers.push_back({digest, OneDeployment("a").SerializeAsString()});
  const Plan plan = PlanWeb(observation);
  EXPECT_EQ(plan.hook_requests.size(), 1u);
  EXPECT_TRUE(plan.stages.empty());
}

TEST(PlanDeclared, AFailureIsShownAndWritesNoChild) {
  const HookFailure failure{HookFailureCode::kTimeout, "no answer within 10s", absl::Seconds(7)};
  const Plan plan = PlanWithFailure(ObserveWeb(WebOperator()), failure);
  EXPECT_EQ(plan.verdict, Verdict::kRetry);
  EXPECT_TRUE(plan.stages.empty());
  EXPECT_EQ(plan.resync_after, absl::Seconds(7));
  const Json status = StatusOf(plan);
  ASSERT_EQ(status["conditions"].size(), 1u);
  EXPECT_EQ(status["conditions"][0]["type"], "HookFailed");
  EXPECT_EQ(status["conditions"][0]["reason"], "HookTimeout");
  EXPECT_EQ(status["conditions"][0]["message"], "no answer within 10s");
  ASSERT_EQ(plan.status->events.size(), 1u);
  EXPECT_TRUE(plan.status->events[0].warning);
}

// Without writes, the condition would become True for a spec that no hook has decided on.
TEST(PlanDeclared, AppliedIsFalseWhileTheHookDoesNotDecide) {
  const HookFailure failure{HookFailureCode::kTimeout, "no answer within 10s", {}};
  const ConditionValue expected{"False", "HookTimeout", "no answer within 10s"};
  const Plan fresh = PlanWithFailure(ObserveWeb(WebOperator()), failure);
  EXPECT_EQ(fresh.status.value().blocked, expected);
  Observation observation = ObserveWeb(WebOperator());
  Json web = WebWith({{"generation", 2}});
  web["status"]["conditions"] = Json::array(
      {{{"type", "Applied"}, {"status", "False"}, {"reason", "QuotaExceeded"}, {"message", "x"}}});
  SetParent(web, &observation);
  EXPECT_EQ(PlanWithFailure(observation, failure).status.value().blocked, expected);
  const Plan decided = PlanWithAnswer(observation, OneDeployment("a"));
  EXPECT_FALSE(decided.status.value().blocked.has_value());
}

/// Plans with these answers to the request of the plan.
Plan PlanWithAnswers(const std::vector<std::variant<std::string, HookFailure>>& answers) {
  Observation observation = ObserveWeb(WebOperator());
  const std::string digest = PlanWeb(observation).hook_requests.at(0).digest;
  for (const auto& each : answers) observation.hook_answers.push_back({digest, each});
  return PlanWeb(observation);
}

TEST(PlanDeclared, DifferentAnswersToOneRequestAreAFailureThatSaysWhatDiffers) {
  const Plan plan = PlanWithAnswers(
      {OneDeployment("a").SerializeAsString(), OneDeployment("b").SerializeAsString()});
  EXPECT_EQ(plan.verdict, Verdict::kRetry);
  EXPECT_EQ(plan.hook_failure, "HookInconsistent");
  EXPECT_TRUE(plan.stages.empty());
  EXPECT_TRUE(plan.hook_requests.empty());
  const Json condition = StatusOf(plan)["conditions"][0];
  EXPECT_EQ(condition["type"], "HookFailed");
  EXPECT_EQ(condition["reason"], "HookInconsistent");
  EXPECT_THAT(condition["message"].get<std::string>(),
              HasSubstr("desired.children[0].object.metadata.name is \"a\", then \"b\""));
  ASSERT_EQ(plan.status->events.size(), 1u);
  EXPECT_EQ(plan.status->events[0].reason, "HookInconsistent");
}

TEST(PlanDeclared, EqualAnswersToOneRequestAreOneDecision) {
  wire::SyncResponse reordered;
  reordered.mutable_desired()->add_children()->set_object(
      R"({"spec":{"replicas":2},"metadata":{"name":"a"},"kind":"Deployment","apiVersion":"apps/v1"})");
  const Plan plan =
      PlanWithAnswers({OneDeployment("a").SerializeAsString(), reordered.SerializeAsString()});
  EXPECT_EQ(plan.hook_failure, "");
  EXPECT_EQ(plan, PlanWithAnswer(ObserveWeb(WebOperator()), OneDeployment("a")));
}

TEST(PlanDeclared, AnErrorIsNotInconsistentWithADecision) {
  wire::SyncResponse error;
  error.set_error("not today");
  const std::string failed = error.SerializeAsString();
  const std::string a = OneDeployment("a").SerializeAsString();
  EXPECT_EQ(PlanWithAnswers({failed, a}).hook_failure, "HookError");
  EXPECT_EQ(PlanWithAnswers({a, failed}),
            PlanWithAnswer(ObserveWeb(WebOperator()), OneDeployment("a")));
  const std::string b = OneDeployment("b").SerializeAsString();
  EXPECT_EQ(PlanWithAnswers({failed, a, b}).hook_failure, "HookInconsistent");
}

TEST(PlanDeclared, ThePlanSaysWhyTheHookDidNotDecide) {
  wire::SyncResponse error;
  error.set_error("not today");
  EXPECT_EQ(PlanWithAnswers({error.SerializeAsString()}).hook_failure, "HookError");
  EXPECT_EQ(PlanWithAnswers({"no answer"}).hook_failure, "HookAnswerInvalid");
  EXPECT_EQ(PlanWithAnswers({HookFailure{HookFailureCode::kTimeout, "", {}}}).hook_failure,
            "HookTimeout");
}

TEST(PlanDeclared, ASuccessRemovesTheFailure) {
  Observation observation = ObserveWeb(WebOperator());
  Json web = WebWith(Json::object());
  web["status"]["conditions"] = Json::array(
      {{{"type", "HookFailed"}, {"status", "True"}, {"reason", "HookTimeout"}, {"message", "x"}}});
  SetParent(web, &observation);
  const Plan plan = PlanWithAnswer(observation, OneDeployment("a"));
  EXPECT_TRUE(plan.status->changed);
  EXPECT_THAT(DumpJson(StatusOf(plan)), ::testing::Not(HasSubstr("HookFailed")));
}

TEST(PlanDeclared, AnErrorOfTheHookIsShown) {
  wire::SyncResponse answer;
  answer.set_error("the shop is closed");
  answer.mutable_retry_after()->set_seconds(30);
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  EXPECT_THAT(DumpJson(StatusOf(plan)), HasSubstr("the shop is closed"));
  EXPECT_EQ(plan.resync_after, absl::Seconds(30));
}

TEST(PlanDeclared, AResyncTimeBeyondTheLimitsBecomesTheLimit) {
  const auto resync = [](int64_t seconds, int32_t nanos) {
    wire::SyncResponse answer = OneDeployment("a");
    answer.mutable_desired()->mutable_resync_after()->set_seconds(seconds);
    answer.mutable_desired()->mutable_resync_after()->set_nanos(nanos);
    return PlanWithAnswer(ObserveWeb(WebOperator()), answer).resync_after;
  };
  EXPECT_EQ(resync(5, 500'000'000), absl::Milliseconds(5500));
  for (const int64_t seconds : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()})
    EXPECT_EQ(resync(seconds, 1), absl::Seconds(1)) << seconds;
  for (const int64_t seconds : {int64_t{1'000'000'000'000}, std::numeric_limits<int64_t>::max()})
    EXPECT_EQ(resync(seconds, 999'999'999), absl::Hours(24)) << seconds;
}

TEST(PlanDeclared, TheResyncOfTheOperatorAppliesToAnswersWithoutOne) {
  Json declaration = WebOperator();
  wire::SyncResponse answer = OneDeployment("a");
  EXPECT_EQ(PlanWithAnswer(ObserveWeb(declaration), answer).resync_after, std::nullopt);
  declaration["spec"]["resync"] = "90s";
  EXPECT_EQ(PlanWithAnswer(ObserveWeb(declaration), answer).resync_after, absl::Seconds(90));
  answer.mutable_desired()->mutable_resync_after()->set_seconds(5);
  EXPECT_EQ(PlanWithAnswer(ObserveWeb(declaration), answer).resync_after, absl::Seconds(5));
}

TEST(PlanDeclared, ASpecThatIsInvalidForNowIsDecidedAgain) {
  Json declaration = WebOperator();
  declaration["spec"]["resync"] = "90s";
  wire::SyncResponse answer;
  answer.mutable_desired()->set_invalid("the sale has not begun");
  const Plan plan = PlanWithAnswer(ObserveWeb(declaration), answer);
  EXPECT_EQ(plan.verdict, Verdict::kInvalid);
  EXPECT_EQ(plan.resync_after, absl::Seconds(90));
}

TEST(PlanDeclared, AnAnswerWithoutChildrenDeletesNone) {
  Observation observation = ObserveWeb(WebOperator());
  AddChild(Deployments(), {{"metadata", {{"name", "a"}, {"namespace", "shop"}, {"uid", "a"}}}},
           &observation);
  wire::SyncResponse answer;
  answer.mutable_desired();
  const Plan nothing = PlanWithAnswer(observation, answer);
  EXPECT_TRUE(nothing.hook_requests.empty());
  EXPECT_TRUE(nothing.stages.empty());
  answer = OneDeployment("b");
  EXPECT_THAT(OperationIds(PlanWithAnswer(observation, answer)),
              ElementsAre("apply deployments.apps shop/b"));
  wire::Deletion* deletion = answer.mutable_desired()->add_deletions();
  deletion->set_api_version("apps/v1");
  deletion->set_kind("Deployment");
  deletion->set_name("a");
  EXPECT_THAT(OperationIds(PlanWithAnswer(observation, answer)),
              ::testing::Contains("delete deployments.apps shop/a"))
      << "only named deletions delete";
}

TEST(PlanDeclared, AParentThatNeedsNoDecisionCausesNoCall) {
  Observation paused = ObserveWeb(WebOperator());
  SetParent(WebWith({{"annotations", {{"xebec.dev/paused", "true"}}}}), &paused);
  EXPECT_TRUE(PlanWeb(paused).hook_requests.empty());
  Observation deleted = ObserveWeb(WebOperator());
  SetParent(WebWith({{"deletionTimestamp", "2026-01-01T00:00:00Z"}}), &deleted);
  EXPECT_TRUE(PlanWeb(deleted).hook_requests.empty());
}

TEST(PlanDeclared, AFinalizerIsAddedBeforeTheFirstChildAndAsksTheHookAtTheEnd) {
  Json declaration = WebOperator();
  declaration["spec"]["finalizer"] = true;
  const Plan plan = PlanWithAnswer(ObserveWeb(declaration), OneDeployment("a"));
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(plan.stages[0].name, "finalizer");
  Observation deleted = ObserveWeb(declaration);
  SetParent(WebWith({{"deletionTimestamp", "2026-01-01T00:00:00Z"},
                     {"finalizers", {"operators.xebec.dev/web.example.com"}}}),
            &deleted);
  EXPECT_EQ(RequestOf(PlanWeb(deleted)).phase(), wire::PHASE_FINALIZE);
}

Observation ObserveDeletion() {
  Json declaration = WebOperator();
  declaration["spec"]["finalizer"] = true;
  Observation observation = ObserveWeb(declaration);
  SetParent(WebWith({{"deletionTimestamp", "2026-01-01T00:00:00Z"},
                     {"finalizers", {"operators.xebec.dev/web.example.com"}}}),
            &observation);
  return observation;
}

TEST(PlanDeclared, TheFinalizerStaysWhileALiveListShowsChildren) {
  wire::SyncResponse nothing;
  nothing.mutable_desired();
  Observation observation = ObserveDeletion();
  const Plan unsure = PlanWithAnswer(observation, nothing);
  EXPECT_FALSE(unsure.live_lists.empty()) << "the cache may lag";
  EXPECT_TRUE(unsure.stages.empty());
  AddChild(Deployments(),
           {{"metadata",
             {{"name", "a"}, {"namespace", "shop"}, {"uid", "a"}, {"resourceVersion", "1"}}}},
           &observation);
  observation.freshness = Freshness::kLive;
  for (ObjectGroup& group : observation.children) group.live = true;
  EXPECT_THAT(OperationIds(PlanWithAnswer(observation, nothing)),
              ElementsAre("delete deployments.apps shop/a"));
  for (ObjectGroup& group : observation.children) group.objects.clear();
  EXPECT_THAT(OperationIds(PlanWithAnswer(observation, nothing)),
              ElementsAre("remove-finalizer webs.example.com shop/one"));
}

TEST(PlanDeclared, AHookThatFailsToFinalizeIsShownAndKeepsChildrenAndFinalizer) {
  Observation observation = ObserveDeletion();
  AddChild(Deployments(), {{"metadata", {{"name", "a"}, {"namespace", "shop"}, {"uid", "a"}}}},
           &observation);
  const Plan plan = PlanWithFailure(observation, {HookFailureCode::kTimeout, "no answer", {}});
  EXPECT_TRUE(plan.stages.empty());
  EXPECT_EQ(StatusOf(plan)["conditions"][0]["reason"], "HookTimeout");
}

TEST(PlanDeclared, NoFailureTouchesTheChildren) {
  Observation observation = ObserveWeb(WebOperator());
  AddChild(Deployments(), {{"metadata", {{"name", "a"}, {"namespace", "shop"}, {"uid", "a"}}}},
           &observation);
  for (size_t code = 0; code < kHookFailureCodes; ++code) {
    const Plan plan = PlanWithFailure(observation, {static_cast<HookFailureCode>(code), "x", {}});
    EXPECT_TRUE(plan.stages.empty()) << code;
    EXPECT_FALSE(plan.complete) << "so that no child is pruned";
  }
}

TEST(PlanDeclared, ADeclarationThatGoesRemovesItsFinalizerAndNothingElse) {
  Json declaration = WebOperator();
  declaration["spec"]["finalizer"] = true;
  declaration["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  Observation observation = ObserveWeb(declaration);
  SetParent(WebWith({{"finalizers", {"operators.xebec.dev/web.example.com", "other/one"}}}),
            &observation);
  AddChild(Deployments(), {{"metadata", {{"name", "a"}, {"namespace", "shop"}}}}, &observation);
  const Plan plan = PlanWeb(observation);
  EXPECT_THAT(OperationIds(plan), ElementsAre("remove-finalizer webs.example.com shop/one"));
  EXPECT_TRUE(plan.hook_requests.empty());
  SetParent(WebWith(Json::object()), &observation);
  EXPECT_TRUE(WritesNothing(PlanWeb(observation)));
}

TEST(PlanDeclared, AFinalizerThatTheDeclarationHasNoMoreIsRemoved) {
  Observation observation = ObserveWeb(WebOperator());
  SetParent(WebWith({{"finalizers", {"operators.xebec.dev/web.example.com"}}}), &observation);
  const Plan plan = PlanWeb(observation);
  EXPECT_THAT(OperationIds(plan), ElementsAre("remove-finalizer webs.example.com shop/one"));
  EXPECT_EQ(plan.resync_after, absl::ZeroDuration()) << "the children are planned next";
}

TEST(PlanDeclared, AnOperatorWithoutStatusLeavesTheStatusToOthers) {
  Json declaration = WebOperator();
  declaration["spec"]["status"] = false;
  wire::SyncResponse answer = OneDeployment("a");
  answer.mutable_desired()->set_status(R"({"replicas":2})");
  const Plan plan = PlanWithAnswer(ObserveWeb(declaration), answer);
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_THAT(OperationIds(plan), ElementsAre("apply deployments.apps shop/a"));
}

TEST(PlanDeclared, WithoutAStatusOnlyOperationsAndFailuresHaveEvents) {
  Json declaration = WebOperator();
  declaration["spec"]["status"] = false;
  wire::SyncResponse answer = OneDeployment("a");
  wire::DesiredState* desired = answer.mutable_desired();
  desired->mutable_children(0)->add_on_created()->set_reason("Made");
  for (const auto type : {wire::EVENT_TYPE_NORMAL, wire::EVENT_TYPE_WARNING}) {
    wire::Event* event = desired->add_events();
    event->set_type(type);
    event->set_reason("Sold");
  }
  const Plan plan = PlanWithAnswer(ObserveWeb(declaration), answer);
  EXPECT_TRUE(plan.events.empty()) << "each reconcile would publish them";
  EXPECT_EQ(plan.stages.at(0).operations.at(0).events.size(), 1u);
  Observation no_subresource = ObserveWeb(WebOperator());
  no_subresource.without_status = true;
  EXPECT_TRUE(PlanWithAnswer(no_subresource, answer).events.empty());
  EXPECT_EQ(PlanWithAnswer(ObserveWeb(WebOperator()), answer).status.value().events.size(), 2u);
  desired->set_invalid("no");
  EXPECT_EQ(PlanWithAnswer(ObserveWeb(declaration), answer).events.at(0).reason, "InvalidSpec");
}

TEST(PlanDeclared, AClusterScopedParentHasChildrenOfOneNameInSeveralNamespaces) {
  Observation observation = ObserveWeb(WebOperator(), /*cluster_scoped=*/true);
  wire::SyncResponse answer = OneDeployment("a");
  wire::DesiredState* desired = answer.mutable_desired();
  EXPECT_THAT(PlanWithAnswer(observation, answer).notes.back(),
              HasSubstr("needs metadata.namespace"));
  desired->clear_children();
  for (const char* ns : {"x", "y"}) {
    const Json object = {{"apiVersion", "apps/v1"},
                         {"kind", "Deployment"},
                         {"metadata", {{"name", "a"}, {"namespace", ns}}}};
    desired->add_children()->set_object(DumpJson(object));
  }
  const Plan plan = PlanWithAnswer(observation, answer);
  EXPECT_THAT(OperationIds(plan),
              ElementsAre("apply deployments.apps x/a", "apply deployments.apps y/a"));
  for (const char* ns : {"x", "y"}) {
    Json live = AppliedObject(plan, std::string("apply deployments.apps ") + ns + "/a");
    live["metadata"]["uid"] = ns;
    AddChild(Deployments(), live, &observation);
  }
  EXPECT_TRUE(PlanWithAnswer(observation, answer).stages.empty()) << "both are as desired";
  wire::Deletion* deletion = desired->add_deletions();
  deletion->set_api_version("apps/v1");
  deletion->set_kind("Deployment");
  deletion->set_name("a");
  deletion->set_namespace_("y");
  desired->mutable_children()->DeleteSubrange(1, 1);
  EXPECT_THAT(OperationIds(PlanWithAnswer(observation, answer)),
              ElementsAre("delete deployments.apps y/a"));
}

TEST(PlanDeclared, ADeclarationThatDoesNotFitIsNotPlanned) {
  Observation observation = ObserveWeb(WebOperator());
  observation.declared_resources.pop_back();
  const Plan plan = PlanWeb(observation);
  EXPECT_EQ(plan.verdict, Verdict::kRetry);
  EXPECT_THAT(plan.notes.back(), HasSubstr("does not serve configmaps/v1"));
  EXPECT_TRUE(WritesNothing(plan));
}

}  // namespace
}  // namespace xebec::testing
