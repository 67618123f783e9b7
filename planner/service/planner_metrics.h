// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/telemetry/metrics.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// What the planner counts. Labels are bounded: a controller that is not registered counts as
/// "unknown". Thread-safe.
class PlannerMetrics {
 public:
  /// All series exist from now on. `registry` outlives this.
  PlannerMetrics(telemetry::Registry* registry, const KindRegistry& kinds);

  void Planned(const Plan& plan, absl::Duration took) const;
  /// A kind threw.
  void Panicked(const std::string& controller) const;
  /// An observation could not be decoded.
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
