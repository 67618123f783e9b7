// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/deferral.h"

#include "common/model/well_known.h"

namespace xebec::watcher {
namespace {

bool IsHeld(const Operation& operation, Hold hold) {
  if (std::holds_alternative<Delete>(operation.action)) return true;
  return hold == Hold::kDestructive && std::holds_alternative<RemoveFinalizer>(operation.action);
}

}  // namespace

std::vector<const Operation*> Held(const Plan& plan, Hold hold) {
  std::vector<const Operation*> held;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (IsHeld(operation, hold)) held.push_back(&operation);
    }
  }
  return held;
}

bool RemovesFinalizer(const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
    return std::any_of(stage.operations.begin(), stage.operations.end(),
                       [](const Operation& operation) {
                         return std::holds_alternative<RemoveFinalizer>(operation.action);
                       });
  });
}

void HoldBack(Plan* plan, Hold hold) {
  for (size_t i = 0; i < plan->stages.size(); ++i) {
    auto& operations = plan->stages[i].operations;
    const size_t removed =
        std::erase_if(operations, [hold](const Operation& each) { return IsHeld(each, hold); });
    if (removed == 0) continue;
    plan->stages.resize(operations.empty() ? i : i + 1);
    plan->complete = false;
    return;
  }
}

Outcome HeldOutcome(const Operation& operation, const std::string& message) {
  Outcome outcome;
  outcome.operation = operation.id;
  outcome.target = operation.target;
  outcome.code = OutcomeCode::kRefused;
  outcome.certainty = Certainty::kRejected;
  outcome.reason = std::string(kDeletionDeferred);
  outcome.message = message;
  return outcome;
}

void ShowHeld(Plan* plan, const std::string& message) {
  if (!plan->status.has_value() || plan->status->blocked.has_value()) return;
  plan->status->blocked = ConditionValue{"False", std::string(kDeletionDeferred), message};
}

bool HasNothingToWrite(const Plan& plan) {
  if (!WritesNothing(plan)) return false;
  if (!plan.status.has_value()) return true;
  const StatusIntent& status = *plan.status;
  return status.observed_applied == status.blocked.value_or(ConditionValue{"True", "Applied", ""});
}

}  // namespace xebec::watcher
