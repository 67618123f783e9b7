// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/hooks/testing/hook_scene.h"

namespace xebec::testing {
namespace {

namespace wire = ::xebec::hooks::v1;

TEST(EncodeRequest, ContainsWhatTheDecisionMayDependOn) {
  Observation observation = ObserveWeb(WebOperator());
  AddChild(Deployments(), {{"metadata", {{"name", "b"}, {"namespace", "shop"}}}}, &observation);
  AddChild(Deployments(), {{"metadata", {{"name", "a"}, {"namespace", "shop"}}}}, &observation);
  const wire::SyncRequest request = RequestOf(PlanWeb(observation));
  EXPECT_EQ(request.phase(), wire::PHASE_SYNC);
  EXPECT_EQ(request.operator_(), "web.example.com");
  EXPECT_EQ(request.configuration(), R"({"image":"nginx"})");
  EXPECT_FALSE(request.has_now());
  EXPECT_EQ(Json::parse(request.parent())["spec"]["replicas"], 2);
  ASSERT_EQ(request.children_size(), 2);
  EXPECT_EQ(request.children(0).api_version(), "apps/v1");
  EXPECT_EQ(request.children(0).kind(), "Deployment");
  ASSERT_EQ(request.children(0).objects_size(), 2);
  EXPECT_EQ(Json::parse(request.children(0).objects(0))["metadata"]["name"], "a");
  EXPECT_EQ(request.children(1).objects_size(), 0);
}

TEST(EncodeRequest, IsTheSameForTheSameObjectsInAnyOrderAtAnyTime) {
  Observation observation = ObserveWeb(WebOperator());
  AddChild(Deployments(), {{"metadata", {{"name", "b"}, {"namespace", "shop"}}}}, &observation);
  AddChild(Deployments(), {{"metadata", {{"name", "a"}, {"namespace", "shop"}}}}, &observation);
  Observation other = observation;
  std::swap(other.children[0].objects[0], other.children[0].objects[1]);
  std::swap(other.children[0], other.children[1]);
  other.now += absl::Hours(1);
  EXPECT_EQ(PlanWeb(observation).hook_requests, PlanWeb(other).hook_requests);
}

TEST(EncodeRequest, ContainsTheTimeOnlyIfTheOperatorAsksForIt) {
  Json declaration = WebOperator();
  declaration["spec"]["hook"]["clock"] = true;
  const wire::SyncRequest request = RequestOf(PlanWeb(ObserveWeb(declaration)));
  EXPECT_EQ(request.now().seconds(), 1'800'000'000);
}

TEST(EncodeRequest, TellsFailuresAndMemosNotPlainSuccesses) {
  Observation observation = ObserveWeb(WebOperator());
  for (const char* name : {"a-done", "b-noted", "c-failed"}) {
    Outcome& outcome = observation.last_outcomes.emplace_back();
    outcome.operation = std::string("apply deployments.apps shop/") + name;
    outcome.target = {Deployments(), "shop", name};
    outcome.code = OutcomeCode::kCreated;
    outcome.certainty = Certainty::kDone;
    outcome.at = observation.now;
  }
  observation.last_outcomes[1].memo = "mine";
  observation.last_outcomes[2].code = OutcomeCode::kQuotaExceeded;
  observation.last_outcomes[2].certainty = Certainty::kRejected;
  const wire::SyncRequest request = RequestOf(PlanWeb(observation));
  ASSERT_EQ(request.last_outcomes_size(), 2);
  EXPECT_EQ(request.last_outcomes(0).memo(), "mine");
  EXPECT_EQ(request.last_outcomes(1).name(), "c-failed");
  EXPECT_EQ(request.last_outcomes(1).operation(), "apply");
  EXPECT_EQ(request.last_outcomes(1).code(), "QuotaExceeded");
  EXPECT_FALSE(request.last_outcomes(1).has_at());
}

TEST(EncodeRequest, LacksWhatTheWatcherAddsToChildren) {
  Observation observation = ObserveWeb(WebOperator());
  AddChild(Deployments(),
           {{"metadata", {{"name", "a"}, {"namespace", "shop"}}},
            {"xebec.dev/last-writer", "kubectl"},
            {"xebec.dev/co-owners", Json::array({"m"})}},
           &observation);
  const wire::SyncRequest request = RequestOf(PlanWeb(observation));
  EXPECT_THAT(request.children(0).objects(0), ::testing::Not(::testing::HasSubstr("xebec.dev/")));
}

ResourceType Pods() { return {"", "v1", "Pod", "pods", false}; }

Json Labelled(const char* name, const char* app) {
  return {{"metadata", {{"name", name}, {"namespace", "shop"}, {"labels", {{"app", app}}}}}};
}

// An Operator with the related Services of a label and all Pods, and objects of both.
Observation ObserveRelated(bool cluster_scoped) {
  const ResourceType services{"", "v1", "Service", "services", false};
  Json declaration = WebOperator();
  declaration["spec"]["related"] = Json::parse(R"([
      {"version": "v1", "resource": "services", "labelSelector": "app=web"},
      {"version": "v1", "resource": "pods"}])");
  Observation observation = ObserveWeb(declaration, cluster_scoped);
  observation.declared_resources.push_back(services);
  observation.declared_resources.push_back(Pods());
  ObjectGroup& group = observation.related.emplace_back(ObjectGroup{services, {}, false});
  for (const Json& each : {Labelled("b", "web"), Labelled("c", "db"), Labelled("a", "web")}) {
    group.objects.push_back(MakeObjectBytes(DumpJson(each)));
  }
  return observation;
}

TEST(EncodeRequest, ContainsTheRelatedObjectsThatTheirRulesSelect) {
  for (const bool cluster_scoped : {false, true}) {
    const wire::SyncRequest request = RequestOf(PlanWeb(ObserveRelated(cluster_scoped)));
    ASSERT_EQ(request.related_size(), 2) << "a group for each rule";
    EXPECT_EQ(request.related(0).api_version(), "v1");
    EXPECT_EQ(request.related(0).kind(), "Service");
    ASSERT_EQ(request.related(0).objects_size(), 2) << "the one of another label is not sent";
    EXPECT_EQ(Json::parse(request.related(0).objects(0)), Labelled("a", "web"));
    EXPECT_EQ(Json::parse(request.related(0).objects(1)), Labelled("b", "web"));
    EXPECT_EQ(request.related(1).kind(), "Pod");
    EXPECT_EQ(request.related(1).objects_size(), 0);
    ASSERT_EQ(request.children_size(), 2);
    EXPECT_EQ(request.children(0).objects_size(), 0) << "they are no children";
  }
}

TEST(EncodeRequest, ChangesWithARelatedObjectThatIsSelected) {
  Observation observation = ObserveRelated(false);
  const auto before = PlanWeb(observation).hook_requests;
  std::vector<ObjectBytes>& services = observation.related[0].objects;
  services[1] = MakeObjectBytes(DumpJson(Labelled("d", "db")));
  EXPECT_EQ(PlanWeb(observation).hook_requests, before);
  services[2] = MakeObjectBytes(DumpJson(Labelled("d", "web")));
  EXPECT_NE(PlanWeb(observation).hook_requests, before);
}

}  // namespace
}  // namespace xebec::testing
