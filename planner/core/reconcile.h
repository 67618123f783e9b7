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

/// The state of one MakePlan call. Internal to planner/core.
namespace xebec::planner {

struct Reconcile {
  const Observation& observation;
  const Kind& kind;
  const Parent& parent;
  const Context& context;
  const View& view;
  DesiredState state;  ///< The kind's decision.
};

/// Plans a parent that is not being deleted.
void PlanSync(const Reconcile& reconcile, Plan* plan);

/// Plans a parent that is being deleted. Creates nothing.
void PlanFinalize(const Reconcile& reconcile, Plan* plan);

/// Plans a parent with the annotation xebec.dev/paused. Writes only the condition.
void PlanPaused(const Reconcile& reconcile, Plan* plan);

/// Plans a parent with children that the watcher cannot read. The kind's decision would not be
/// reliable, so only the condition NotWatched is written.
void PlanWithUnreadKinds(const Reconcile& reconcile, Plan* plan);

/// Plans a parent with an invalid spec. Changes no child; the status contains the reason.
void PlanInvalid(const Reconcile& reconcile, const std::string& why, Plan* plan);

/// Adds the status to the plan, or only its events if the parent's CRD serves no status.
void SetStatus(const Reconcile& reconcile, const StatusDraft& draft, Plan* plan);

/// Returns the operation that adds the controller's finalizer to the parent or removes it.
Stage FinalizerStage(const Reconcile& reconcile, bool add);

/// Returns the operation that removes a finalizer from the parent.
Stage RemoveFinalizerStage(const Reconcile& reconcile, const std::string& finalizer);

}  // namespace xebec::planner
