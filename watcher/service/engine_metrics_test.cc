// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/engine_metrics.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EngineMetrics, CarryTheNamesThatDashboardsUse) {
  EngineFigures figures;
  figures.leadership = {.leads = true,
                        .buckets = 128,
                        .held = 5,
                        .unassigned = 2,
                        .watchers = 3,
                        .differing = 1,
                        .moves = {{"gained", 4}, {"yielded", 1}}};
  figures.controllers.push_back({});
  figures.controllers[0].controller = "iris.example.com";
  figures.controllers[0].reconciles = {{"success", 3}, {"error", 2}};
  figures.controllers[0].queue_depth = {{"user", 1}, {"controller", 4}};
  figures.controllers[0].queue_seconds.Add(absl::Milliseconds(3));
  figures.controllers[0].most_at_once = 128;
  figures.resources.push_back({});
  figures.resources[0].since_last_event = absl::InfiniteDuration();
  telemetry::Registry registry;
  registry.AddSource([&figures] { return EngineFamilies(figures); });
  const std::string text = registry.Scrape();
  EXPECT_THAT(text, Not(HasSubstr("xebec_reflector_lag_seconds{"))) << "never listed";
  EXPECT_THAT(text,
              HasSubstr("xebec_plans_refused_total{controller=\"iris.example.com\",name=\"iris."
                        "example.com\",reason=\"not_owned\"} 0"));
  EXPECT_THAT(
      text,
      HasSubstr("controller_runtime_reconcile_total{controller=\"iris.example.com\",name=\"iris."
                "example.com\",result=\"success\"} 3"));
  EXPECT_THAT(text, HasSubstr("controller_runtime_max_concurrent_reconciles{controller=\"iris."
                              "example.com\",name=\"iris.example.com\"} 128"));
  EXPECT_THAT(
      text,
      HasSubstr("controller_runtime_reconcile_errors_total{controller=\"iris.example.com\",name="
                "\"iris.example.com\"} 2"));
  EXPECT_THAT(
      text,
      HasSubstr("workqueue_depth{controller=\"iris.example.com\",name=\"iris.example.com\"} 5"));
  EXPECT_THAT(
      text, HasSubstr("workqueue_queue_duration_seconds_count{controller=\"iris.example.com\",name="
                      "\"iris.example.com\"} 1"));
  EXPECT_THAT(text, HasSubstr("leader_election_master_status{name=\"buckets\"} 1"));
  EXPECT_THAT(text, HasSubstr("xebec_buckets 128"));
  EXPECT_THAT(text, HasSubstr("xebec_buckets_held 5"));
  EXPECT_THAT(text, HasSubstr("xebec_buckets_unassigned 2"));
  EXPECT_THAT(text, HasSubstr("xebec_watchers 3"));
  EXPECT_THAT(text, HasSubstr("xebec_watchers_differing 1"));
  EXPECT_THAT(text, HasSubstr("xebec_bucket_moves_total{direction=\"gained\"} 4"));
}

TEST(EngineMetrics, DeclaredControllersHaveThoseOfTheirHook) {
  EngineFigures figures;
  figures.controllers.resize(2);
  figures.controllers[0].controller = "iris.example.com";
  ControllerFigures& declared = figures.controllers[1];
  declared.controller = "web";
  declared.declared = declared.hook_open = true;
  declared.hook_calls = {{"ok", 3}, {"timeout", 1}};
  declared.hook_seconds.Add(absl::Milliseconds(3));
  declared.hook_limit = 4;
  declared.hook_waiting = 7;
  figures.hook_credits = 256;
  telemetry::Registry registry;
  registry.AddSource([&figures] { return EngineFamilies(figures); });
  EXPECT_THAT(registry.Scrape(), Not(HasSubstr("xebec_operator_")));
  EXPECT_THAT(registry.Scrape(), Not(HasSubstr("xebec_gateway_credits")));
  figures.hooks = true;
  const std::string text = registry.Scrape();
  for (const char* line :
       {"xebec_operator_calls_total{operator=\"web\",result=\"timeout\"} 1",
        "xebec_operator_call_duration_seconds_count{operator=\"web\"} 1",
        "xebec_operator_hook_available{operator=\"web\"} 0",
        "xebec_operator_breaker_open{operator=\"web\"} 1",
        "xebec_operator_call_limit{operator=\"web\"} 4",
        "xebec_operator_parents_waiting{operator=\"web\"} 7", "xebec_gateway_credits 256"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("operator=\"iris.example.com\"")));
}

}  // namespace
}  // namespace xebec::watcher
