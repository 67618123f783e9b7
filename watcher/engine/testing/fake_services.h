// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/testing/fake_cluster.h"

namespace xebec::watcher::testing {

/// Plans a widget: parts "<name>-0".."<name>-<n-1>" with its value, others deleted, status.parts
/// the number of right ones. A widget with spec.name has one part of that name; others are deleted
/// once it has it, but those that the observation releases before. A widget with an even value
/// counts the parts that the plan writes, and such a plan covers its writes. With a value of 4n +
/// 1, the number of right parts is progress: its write may wait. Where scraps are observed, with a
/// finalizer, and at the end parts, then scraps go before it.
Plan MakeWidgetPlan(const Observation& observation);

/// How far an applier gets.
struct ApplierFault {
  size_t operations = SIZE_MAX;  ///< The rest is not started.
  size_t unknown = SIZE_MAX;     ///< This operation is done and its answer is lost.
};

/// Carries a widget's plan out on `cluster`, status included.
Report ApplyPlan(const Plan& plan, const ApplierFault& fault, FakeCluster* cluster);

/// What an applier reports that carries out nothing of the plan.
Report RefusePlan(const Plan& plan, OutcomeCode code);

}  // namespace xebec::watcher::testing
