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
  for (const char* name : {"done", "noted", "failed"}) {
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
  EXPECT_EQ(request.last_outcomes(1).name(), "failed");
  EXPECT_EQ(request.last_outcomes(1).operation(), "apply");
  EXPECT_EQ(request.last_outcomes(1).code(), "QuotaExceeded");
  EXPECT_FALSE(request.last_outcomes(1).has_at());
}

TEST(EncodeRequest, LacksWhatTheWatcherAddsToChildren) {
  Observation observation = ObserveWeb(WebOperator());
  AddChild(Deployments(),
           {{"metadata", {{"name", "a"}, {"namespace", "shop"}}},
            {"xebec.dev/last-writer", "kubectl"},
            {"xebec.dev/co-owned", true}},
           &observation);
  const wire::SyncRequest request = RequestOf(PlanWeb(observation));
  EXPECT_THAT(request.children(0).objects(0), ::testing::Not(::testing::HasSubstr("xebec.dev/")));
}

}  // namespace
}  // namespace xebec::testing
