// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "planner/core/kind.h"
#include "planner/service/planner_metrics.h"
#include "xebec/v1/planner.pb.h"

namespace xebec::planner {

/// From the observation on the wire to the plan on the wire: decodes, plans, encodes, counts and
/// logs. Nothing that one observation contains harms another. Thread-safe.
class PlanMaker {
 public:
  /// `metrics` outlives this.
  PlanMaker(KindRegistry kinds, std::string revision, const PlannerMetrics* metrics);

  /// Fills `plan`, in the form in which the observation's parent was sent. INVALID_ARGUMENT names
  /// the field that cannot be read; INTERNAL when planning
  /// threw (a kind that throws a std::exception gets a plan with verdict RETRY from the core; it is
  /// counted here).
  absl::Status Make(const v1::Observation& observation, v1::Plan* plan) const;
  void Describe(v1::DescribeKindsResponse* response) const;
  const std::string& revision() const { return revision_; }

 private:
  absl::Status MakeUnguarded(const v1::Observation& observation, v1::Plan* plan) const;
  void CountPanic(const v1::Observation& observation, const std::string& what) const;
  absl::Status Panic(const v1::Observation& observation, const std::string& what) const;

  const KindRegistry kinds_;
  const std::string revision_;
  const PlannerMetrics* const metrics_;
};

}  // namespace xebec::planner
