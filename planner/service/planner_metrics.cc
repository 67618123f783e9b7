// SPDX-License-Identifier: Apache-2.0
#include "planner/service/planner_metrics.h"

namespace xebec::planner {

PlannerMetrics::PlannerMetrics(telemetry::Registry* registry, const KindRegistry& kinds)
    : unknown_(Make(registry, "unknown")),
      unreadable_(registry->AddCounter("xebec_plan_unreadable_total",
                                       "Observations that could not be read.")) {
  for (const Kind& kind : kinds.kinds()) {
    const std::string& controller = kind.description.controller;
    by_controller_.emplace(controller, Make(registry, controller));
  }
}

PlannerMetrics::Series PlannerMetrics::Make(telemetry::Registry* registry,
                                            const std::string& controller) {
  const auto verdicts = [&](const char* verdict) {
    return registry->AddCounter("xebec_plans_total", "Plans made, by verdict.",
                                {{"controller", controller}, {"verdict", verdict}});
  };
  const telemetry::Labels labels = {{"controller", controller}};
  Series series;
  series.ok = verdicts("ok");
  series.retry = verdicts("retry");
  series.invalid = verdicts("invalid");
  series.panics = registry->AddCounter("controller_runtime_reconcile_panics_total",
                                       "Plans that a kind broke off with an exception.", labels);
  series.seconds = registry->AddHistogram("xebec_plan_duration_seconds", "Time to make a plan.",
                                          telemetry::SecondsBuckets(), labels);
  return series;
}

PlannerMetrics::Series PlannerMetrics::Of(const std::string& controller) const {
  const auto it = by_controller_.find(controller);
  return it == by_controller_.end() ? unknown_ : it->second;
}

void PlannerMetrics::Planned(const Plan& plan, absl::Duration took) const {
  Series series = Of(plan.envelope.controller);
  series.seconds.Observe(absl::ToDoubleSeconds(took));
  switch (plan.verdict) {
    case Verdict::kOk:
      return series.ok.Add();
    case Verdict::kRetry:
      return series.retry.Add();
    case Verdict::kInvalid:
      return series.invalid.Add();
  }
}

void PlannerMetrics::Panicked(const std::string& controller) const { Of(controller).panics.Add(); }

void PlannerMetrics::Unreadable() const { telemetry::Counter(unreadable_).Add(); }

}  // namespace xebec::planner
