// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"
#include "planner/core/parent.h"
#include "planner/core/read_context.h"
#include "planner/core/status.h"

/// The parts of one MakePlan call. Internal to planner/core.
namespace xebec::planner {

struct Reconcile {
  const Observation& observation;
  const Kind& kind;
  const Parent& parent;
  const Context& context;
  const View& view;
  DesiredState state;  ///< Decided by the kind.
};

/// Plans a parent that is not being deleted.
void PlanSync(const Reconcile& reconcile, Plan* plan);

/// Plans a parent that is being deleted: nothing is created.
void PlanFinalize(const Reconcile& reconcile, Plan* plan);

/// Plans a parent with the annotation xebec.dev/paused: only the condition is written.
void PlanPaused(const Reconcile& reconcile, Plan* plan);

/// Plans a parent with children that the watcher cannot read. The decision of the kind is not
/// reliable then: nothing is written but the condition that says so.
void PlanWithUnreadKinds(const Reconcile& reconcile, Plan* plan);

/// Plans a parent with an invalid spec: no child is touched, the status has the reason.
void PlanInvalid(const Reconcile& reconcile, const std::string& why, Plan* plan);

/// Adds the status to the plan, or only its events where the parent's CRD serves no status.
void SetStatus(const Reconcile& reconcile, const StatusDraft& draft, Plan* plan);

/// The operation on the parent itself that adds or removes the controller's finalizer.
Stage FinalizerStage(const Reconcile& reconcile, bool add);

}  // namespace xebec::planner
