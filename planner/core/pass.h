// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"
#include "planner/core/parent.h"
#include "planner/core/status.h"
#include "planner/core/surroundings.h"

/// One call of MakePlan, in parts. Internal to planner/core.
namespace xebec::planner {

struct Pass {
  const Observation& observation;
  const Kind& kind;
  const Parent& parent;
  const Surroundings& around;
  const View& view;
  DesiredState state;  ///< What the kind wants.
};

/// Plans a parent that is wanted.
void PlanSync(const Pass& pass, Plan* plan);

/// Plans a parent that is being deleted: nothing is created.
void PlanFinalize(const Pass& pass, Plan* plan);

/// Plans a parent with the annotation xebec.dev/paused: no writes but the condition.
void PlanPaused(const Pass& pass, Plan* plan);

/// Plans a parent of whose children some cannot be read: the kind has judged by what it was shown,
/// so nothing is written, and nothing is said but that.
void PlanBlind(const Pass& pass, Plan* plan);

/// Plans a parent whose spec cannot be planned: no child is touched, the status says why.
void PlanInvalid(const Pass& pass, const std::string& why, Plan* plan);

/// Adds the status to the plan unless the parent has none to show.
void SetStatus(const Pass& pass, const StatusDraft& draft, Plan* plan);

/// The operation on the parent itself that adds or removes the controller's finalizer.
Stage FinalizerStage(const Pass& pass, bool add);

}  // namespace xebec::planner
