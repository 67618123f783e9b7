// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/declare/declaration.h"
#include "planner/core/hook_codec.h"
#include "planner/core/reconcile.h"

/// Plans parents whose controller a user declares. Internal to planner/core.
namespace xebec::planner {

/// Fills reconcile->state with the decision of the hook. Returns false if the plan is complete
/// without it: the answer is missing, the call failed, or the declaration is being deleted.
bool DecideByHook(const Declaration& declaration, const HookCodec& codec, Reconcile* reconcile,
                  Plan* plan);

/// Plans a parent whose hook did not decide. Keeps the status and the children; shows the failure,
/// and that nothing is applied.
void PlanHookFailed(const Reconcile& reconcile, const std::string& reason,
                    const std::string& message, Plan* plan);

}  // namespace xebec::planner
