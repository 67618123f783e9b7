// SPDX-License-Identifier: Apache-2.0
#include "applier/service/settings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "applier/service/plan_observer.h"
#include "applier/service/random_bytes.h"
#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Error(const std::vector<std::string>& entries) {
  return std::string(ToStd(ParseAllowList(entries).status().message()));
}

TEST(Settings, AllowListJoinsTheNamespacesOfAResource) {
  EXPECT_THAT(*ParseAllowList({"pods@a", "deployments.apps", "pods@b"}),
              ElementsAre(AllowRule{"deployments.apps", {}}, AllowRule{"pods", {"a", "b"}}));
  EXPECT_THAT(*ParseAllowList({"*"}), ElementsAre(AllowRule{"*", {}}));
}

TEST(Settings, AllowListThatCannotBeMeantIsRefused) {
  EXPECT_THAT(Error({"Deployment"}), HasSubstr("lower-case plural"));
  EXPECT_EQ(
      Error({"pods@Team"}),
      "allow: \"pods@Team\": invalid namespace \"Team\" after @: must be a DNS label, such as "
      "team-a");
  EXPECT_THAT(Error({"pods@"}), HasSubstr("invalid namespace \"\""));
  EXPECT_THAT(Error({"pods", "pods@a"}), HasSubstr("without a namespace"));
  EXPECT_THAT(Error({"pods@a", "pods"}), HasSubstr("\"pods\""));
}

TEST(Settings, ContradictionsAreRefusedByName) {
  Settings settings;
  EXPECT_TRUE(Resolve(settings).ok());
  settings.writes_start = 300;
  EXPECT_THAT(std::string(ToStd(Resolve(settings).status().message())), HasSubstr("writes.start"));
  settings = {};
  settings.listen.clear();
  EXPECT_THAT(std::string(ToStd(Resolve(settings).status().message())), HasSubstr("listen"));
  settings = {};
  settings.dispatcher.lease_namespace = "a/b";
  EXPECT_THAT(std::string(ToStd(Resolve(settings).status().message())),
              HasSubstr("lease.namespace"));
  settings = {};
  settings.dispatcher.policy.deny_namespaces = {"xebec-system", "a/b"};
  EXPECT_THAT(std::string(ToStd(Resolve(settings).status().message())),
              HasSubstr("denyNamespaces: invalid namespace \"a/b\""));
}

TEST(Settings, APlanMayHaveAsManyDeletionsAsTheProcess) {
  Settings settings;
  Policy& policy = settings.dispatcher.policy;
  policy.max_deletions = 2001;
  EXPECT_EQ(Resolve(settings)->policy.max_deletions, 2000u);
  policy.max_deletions = 1999;
  EXPECT_EQ(Resolve(settings)->policy.max_deletions, 1999u);
}

TEST(Settings, FlagsReachTheDispatcher) {
  Settings settings;
  config::Binder binder("xebec-applier", "", "0");
  Bind(settings, binder);
  const char* argv[] = {"x",
                        "--allow=pods@a,configmaps",
                        "--deny-namespaces=xebec-system,ops",
                        "--max-deletions=7",
                        "--writes-min=3",
                        "--writes-start=4",
                        "--writes-max=5",
                        "--lease-namespace=ops",
                        "--events=false"};
  ASSERT_TRUE(binder.Load(9, argv, {}).ok());
  const DispatcherOptions options = *Resolve(settings);
  EXPECT_EQ(options.policy.allow.size(), 2u);
  EXPECT_THAT(options.policy.deny_namespaces, ElementsAre("xebec-system", "ops"));
  EXPECT_EQ(options.policy.max_deletions, 7u);
  EXPECT_EQ(options.budget.min, 3);
  EXPECT_EQ(options.budget.start, 4);
  EXPECT_EQ(options.budget.max, 5);
  EXPECT_EQ(options.lease_namespace, "ops");
  EXPECT_FALSE(options.policy.events);
}

TEST(PlanObserver, CountsOperationsByKindVerbAndResult) {
  telemetry::Registry registry;
  PlanObserver observer(&registry);
  PlanEnded ended;
  Outcome created;
  created.operation = "apply a";
  created.target = {{"apps", "v1", "Deployment", "deployments", false}, "default", "web"};
  created.code = OutcomeCode::kCreated;
  created.certainty = Certainty::kDone;
  Outcome status = created;
  status.operation = "status";
  status.code = OutcomeCode::kFenced;
  status.reason = "Epoch";
  ended.report.outcomes = {created, status};
  ended.verbs = {"apply", "status"};
  observer.OnEnded(ended);
  const std::string text = registry.Scrape();
  EXPECT_THAT(
      text,
      HasSubstr("xebec_apply_total{gvk=\"apps/v1/Deployment\",op=\"apply\",result=\"Created\"} 1"));
  EXPECT_THAT(text, HasSubstr("op=\"status\",result=\"Fenced\"} 1"));
  EXPECT_THAT(text, HasSubstr("xebec_apply_refused_total{reason=\"Epoch\"} 1"));
}

TEST(PlanObserver, RefusalsThatAlertsNameBeginWithZero) {
  telemetry::Registry registry;
  PlanObserver observer(&registry);
  EXPECT_THAT(registry.Scrape(), HasSubstr("xebec_apply_refused_total{reason=\"ForeignOwner\"} 0"));
}

TEST(PlanObserver, PlansForEndlesslyManyKindsDoNotMakeEndlesslyManySeries) {
  telemetry::Registry registry;
  PlanObserver observer(&registry);
  for (int i = 0; i < 1000; ++i) {
    PlanEnded ended;
    Outcome refused;
    refused.target = {{"x.io", "v1", absl::StrCat("Kind", i), "kinds", false}, "default", "web"};
    refused.code = OutcomeCode::kRefused;
    refused.reason = "KindNotAllowed";
    ended.report.outcomes = {refused};
    ended.verbs = {"apply"};
    observer.OnEnded(ended);
  }
  const std::string text = registry.Scrape();
  EXPECT_THAT(text, HasSubstr("gvk=\"x.io/v1/Kind0\""));
  EXPECT_THAT(text, HasSubstr("gvk=\"other\",op=\"apply\",result=\"Refused\"} 800"));
}

Report WithOutcome(std::string operation, OutcomeCode code) {
  Report report;
  report.outcomes.emplace_back().operation = std::string(kStatusOperation);
  report.outcomes.back().code = OutcomeCode::kChanged;
  report.outcomes.emplace_back().operation = std::move(operation);
  report.outcomes.back().code = code;
  return report;
}

TEST(PlanObserver, LogsAtInfoOnlyPlansThatChangedAnObject) {
  using telemetry::Level;
  const std::string apply = "apply deployments.apps default/web";
  EXPECT_EQ(LevelOf(WithOutcome(apply, OutcomeCode::kCreated)), Level::kInfo);
  EXPECT_EQ(LevelOf(WithOutcome(apply, OutcomeCode::kChanged)), Level::kInfo);
  EXPECT_EQ(LevelOf(WithOutcome(apply, OutcomeCode::kDeleted)), Level::kInfo);
  EXPECT_EQ(LevelOf(WithOutcome(apply, OutcomeCode::kUnchanged)), Level::kDebug);
  EXPECT_EQ(LevelOf(WithOutcome(apply, OutcomeCode::kForbidden)), Level::kDebug);
  EXPECT_EQ(LevelOf(Report()), Level::kDebug);
}

TEST(RandomBytes, AreAsManyAsAskedForAndDiffer) {
  EXPECT_EQ(RandomBytes(32).size(), 32u);
  EXPECT_NE(RandomBytes(32), RandomBytes(32));
}

}  // namespace
}  // namespace xebec::applier
