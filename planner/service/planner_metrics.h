// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/telemetry/metrics.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// The metrics of the planner. Labels are bounded: an unknown controller counts as "unknown".
/// Thread-safe.
class PlannerMetrics {
 public:
  /// Creates all series. `registry` must outlive this object.
  PlannerMetrics(telemetry::Registry* registry, const KindRegistry& kinds);

  void Planned(const Plan& plan, absl::Duration took) const;
  /// Counts a kind that threw an exception.
  void Panicked(const std::string& controller) const;
  /// Counts an observation that could not be decoded.
  void Unreadable() const;

 private:
  struct Series {
    telemetry::Counter ok, retry, invalid, panics;
    telemetry::Histogram seconds;
  };
  static Series Make(telemetry::Registry* registry, const std::string& controller);
  Series Of(const std::string& controller) const;

  std::map<std::string, Series> by_controller_;
  Series unknown_;
  telemetry::Counter unreadable_;
};

}  // namespace xebec::planner
