// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/gateway_metrics.h"

#include <algorithm>
#include <utility>

#include "common/model/hook_label.h"

namespace xebec::gateway {
namespace {

using telemetry::Family;

std::string ResultOf(const SendReply& reply) {
  const auto* failure = std::get_if<HookFailure>(&reply.reply.result);
  if (failure == nullptr) return reply.error ? "error" : "ok";
  return MetricLabel(failure->code);
}

Family Gauge(const char* name, const char* help, size_t value) {
  return {Family::Type::kGauge, name, help, {{{}, static_cast<double>(value)}}, {}};
}

Family Counter(const char* name, const char* help, uint64_t value) {
  return {Family::Type::kCounter, name, help, {{{}, static_cast<double>(value)}}, {}};
}

}  // namespace

GatewayMetrics::GatewayMetrics(telemetry::Registry* registry)
    : bounds_(telemetry::SecondsBuckets()) {
  registry->AddSource([this] { return Families(); });
}

void GatewayMetrics::Replied(const SendReply& reply) {
  if (std::holds_alternative<HookState>(reply.reply.result)) return;
  MutexLock lock(&mu_);
  const bool known = operators_.contains(reply.operator_name);
  Series& series =
      operators_[known || operators_.size() < kMostOperators ? reply.operator_name : "other"];
  ++series.results[ResultOf(reply)];
  const double seconds = absl::ToDoubleSeconds(reply.took);
  series.buckets.resize(bounds_.size() + 1);
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
  ++series.buckets[bucket];
  series.seconds += seconds;
  if (std::holds_alternative<std::string>(reply.reply.result))
    ++(reply.reply.cached ? hits_ : misses_);
}

void GatewayMetrics::Forget(const std::string& operator_name) {
  MutexLock lock(&mu_);
  operators_.erase(operator_name);
}

void GatewayMetrics::Set(const Gateway::Figures& figures) {
  MutexLock lock(&mu_);
  figures_ = figures;
}

std::vector<Family> GatewayMetrics::Families() const {
  MutexLock lock(&mu_);
  Family calls{Family::Type::kCounter, "xebec_hook_calls_total", "Sync calls, by result.", {}, {}};
  Family took{Family::Type::kHistogram,
              "xebec_hook_call_duration_seconds",
              "Time from the arrival of a Sync call to its reply.",
              {},
              {}};
  for (const auto& [name, series] : operators_) {
    for (const auto& [result, count] : series.results) {
      calls.samples.push_back(
          {{{"operator", name}, {"result", result}}, static_cast<double>(count)});
    }
    took.distributions.push_back({{{"operator", name}}, bounds_, series.buckets, series.seconds});
  }
  return {std::move(calls),
          std::move(took),
          Counter("xebec_hook_cache_hits_total", "Answers from the cache.", hits_),
          Counter("xebec_hook_cache_misses_total", "Answers of hooks.", misses_),
          Gauge("xebec_hook_cache_bytes", "Size of the cache of answers.", figures_.cache_bytes),
          Gauge("xebec_hook_calls_in_flight", "Calls that hooks work on.", figures_.in_flight),
          Gauge("xebec_hook_calls_waiting", "Calls that wait for other calls of the same hook.",
                figures_.waiting),
          Gauge("xebec_hook_connections", "Hooks that are described.", figures_.connections),
          Gauge("xebec_hooks", "Hooks that were called recently.", figures_.hooks)};
}

}  // namespace xebec::gateway
