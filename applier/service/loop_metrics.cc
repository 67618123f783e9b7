// SPDX-License-Identifier: Apache-2.0
#include "applier/service/loop_metrics.h"

#include <string>

namespace xebec::applier {

LoopMetrics::LoopMetrics(telemetry::Registry* registry)
    : registry_(registry),
      plans_(registry->AddGauge("xebec_apply_plans", "Plans that run or wait.")),
      in_flight_(registry->AddGauge("xebec_apply_writes_in_flight",
                                    "Writes and live reads without an answer.")),
      allowed_(registry->AddGauge("xebec_apply_writes_allowed",
                                  "Limit on writes and live reads in flight.")),
      at_minimum_(registry->AddGauge("xebec_apply_budget_at_minimum",
                                     "1 if that limit is at its minimum, writes.min, and the API "
                                     "server throttled or failed in the last five minutes.")),
      unavailable_(registry->AddGauge("xebec_apply_unavailable",
                                      "1 while this applier cannot carry out any plan.")),
      waiting_events_(registry->AddGauge("xebec_apply_events_waiting", "Events that wait.")),
      clock_skew_(registry->AddGauge(
          "xebec_apply_clock_skew_seconds",
          "How far the local clock is ahead of the API server's; negative if behind.")),
      dropped_events_(registry->AddCounter("xebec_apply_events_dropped_total",
                                           "Events that were not published.")) {}

void LoopMetrics::Update(const DispatchLoop& loop) {
  const LoopFigures figures = loop.figures();
  MutexLock lock(&mu_);
  plans_.Set(static_cast<double>(figures.plans));
  in_flight_.Set(static_cast<double>(figures.requests_in_flight));
  allowed_.Set(static_cast<double>(figures.requests_allowed));
  at_minimum_.Set(figures.budget_at_minimum ? 1 : 0);
  unavailable_.Set(figures.problem.empty() ? 0 : 1);
  waiting_events_.Set(static_cast<double>(figures.waiting_events));
  clock_skew_.Set(absl::ToDoubleSeconds(figures.clock_skew));
  dropped_events_.SetTotal(static_cast<double>(figures.dropped_events));
  for (const auto& [code, count] : figures.lease_errors) {
    const auto [counter, added] = lease_errors_.try_emplace(code);
    if (added) {
      counter->second = registry_->AddCounter(
          "xebec_lease_read_errors_total", "Reads of the assignment that failed, by HTTP status.",
          {{"code", std::to_string(code)}});
    }
    counter->second.SetTotal(static_cast<double>(count));
  }
  for (const RequestBudget::Figures& each : loop.classes()) UpdateClass(each);
}

void LoopMetrics::UpdateClass(const RequestBudget::Figures& figures) {
  const auto [gauges, added] = classes_.try_emplace(figures.name);
  if (added) {
    const telemetry::Labels labels = {{"resource", figures.name.resource},
                                      {"verb", figures.name.verb}};
    gauges->second = {
        registry_->AddGauge("xebec_apply_class_allowed",
                            "Limit on requests in flight of one resource and verb.", labels),
        registry_->AddGauge("xebec_apply_class_at_minimum",
                            "1 if that limit is at writes.min, and answers were slow or missing in "
                            "the last five minutes.",
                            labels),
        registry_->AddGauge("xebec_apply_class_latency_seconds",
                            "Smoothed latency of one resource and verb.", labels)};
  }
  gauges->second.allowed.Set(static_cast<double>(figures.allowed));
  gauges->second.at_minimum.Set(figures.held_down ? 1 : 0);
  gauges->second.latency.Set(absl::ToDoubleSeconds(figures.recent));
}

}  // namespace xebec::applier
