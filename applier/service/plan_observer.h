// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "applier/engine/dispatcher.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"

namespace xebec::applier {

/// Counts and logs the outcomes of plans. Used by one thread.
class PlanObserver {
 public:
  /// `registry` outlives this.
  explicit PlanObserver(telemetry::Registry* registry);

  void OnEnded(const PlanEnded& ended);

 private:
  std::string BoundedGvk(const ResourceType& type);
  void Count(const Outcome& outcome, std::string_view verb);
  telemetry::Counter& Counter(const std::string& metric, const std::string& help,
                              const telemetry::Labels& labels);
  void Increment(const std::string& metric, const std::string& help,
                 const telemetry::Labels& labels);
  void LogPlan(const PlanEnded& ended);
  void LogOutcomes(const PlanEnded& ended) const;
  void LogFailures(const Report& report) const;
  void LogUnavailable(const Report& report, const Outcome& outcome);

  telemetry::Registry* const registry_;
  telemetry::Histogram duration_;
  // The same problem stops every plan: each reason is logged once in a while, with a count.
  struct Ration {
    absl::Duration next = -absl::InfiniteDuration();
    uint64_t omitted = 0;
  };
  std::map<std::string, Ration> rations_;
  std::set<std::string> gvks_;  // that have series of their own
  // Series that exist, so that the registry is asked once for each.
  std::map<std::pair<std::string, telemetry::Labels>, telemetry::Counter> counters_;
};

/// Returns the level of the line "Applied plan": info if the plan created, changed or deleted an
/// object other than the parent's status, else debug.
telemetry::Level LevelOf(const Report& report);

/// Returns the value of the label `gvk`: "apps/v1/Deployment", "v1/Pod".
std::string GvkLabel(const ResourceType& type);

}  // namespace xebec::applier
