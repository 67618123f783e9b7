// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "planner/core/kind.h"
#include "planner/service/planner_metrics.h"
#include "xebec/v1/planner.pb.h"

namespace xebec::planner {

/// Decodes an observation, plans, encodes the plan, counts and logs it. One observation never
/// affects another. Thread-safe.
class PlanMaker {
 public:
  /// `metrics` must outlive this object.
  PlanMaker(KindRegistry kinds, std::string revision, const PlannerMetrics* metrics);

  /// Fills `plan`, in the object form of the observation's parent. Returns INVALID_ARGUMENT with
  /// the name of a field that cannot be decoded. Returns INTERNAL if planning threw an exception.
  /// (For a kind that throws a std::exception the core returns a plan with the verdict RETRY, which
  /// is counted here.)
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
