// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/deferral.h"

#include <algorithm>

#include "common/model/well_known.h"

namespace xebec::watcher {
namespace {

bool Is(const Operation& operation, Deferred sort) {
  if (std::holds_alternative<Delete>(operation.action)) return true;
  return sort == Deferred::kDestructive &&
         std::holds_alternative<RemoveFinalizer>(operation.action);
}

Outcome DeferredOutcome(const Operation& operation, const std::string& message) {
  Outcome outcome;
  outcome.operation = operation.id;
  outcome.target = operation.target;
  outcome.code = OutcomeCode::kRefused;
  outcome.certainty = Certainty::kRejected;
  outcome.reason = std::string(kDeletionDeferred);
  outcome.message = message;
  return outcome;
}

// Returns true if a plan without operations leaves the condition Applied as it is.
bool KeepsApplied(const StatusIntent& status) {
  return status.observed_applied == status.blocked.value_or(ConditionValue{"True", "Applied", ""});
}

}  // namespace

std::vector<const Operation*> Find(const Plan& plan, Deferred sort) {
  std::vector<const Operation*> found;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (Is(operation, sort)) found.push_back(&operation);
    }
  }
  return found;
}

bool RemovesFinalizer(const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
    return std::any_of(stage.operations.begin(), stage.operations.end(),
                       [](const Operation& operation) {
                         return std::holds_alternative<RemoveFinalizer>(operation.action);
                       });
  });
}

void Defer(Plan* plan, Deferred sort) {
  for (size_t i = 0; i < plan->stages.size(); ++i) {
    auto& operations = plan->stages[i].operations;
    const size_t removed =
        std::erase_if(operations, [sort](const Operation& each) { return Is(each, sort); });
    if (removed == 0) continue;
    plan->stages.resize(operations.empty() ? i : i + 1);
    plan->complete = false;
    return;
  }
}

std::optional<Deferral> DeferInQuarantine(Plan* plan, absl::Duration quarantine_end,
                                          absl::Duration now) {
  if (now >= quarantine_end || Find(*plan, Deferred::kDestructive).empty()) return std::nullopt;
  Defer(plan, Deferred::kDestructive);
  return Deferral{
      quarantine_end, "deletions wait until no plan of the predecessor can be under way", {}};
}

std::optional<Deferral> OverBudget(const Plan& plan, const std::string& controller, KeyId key,
                                   const DeletionBudget& budget, absl::Duration now) {
  const std::vector<const Operation*> deletions = Find(plan, Deferred::kDeletions);
  if (deletions.empty() || budget.Allows(key, now)) return std::nullopt;
  Deferral deferral{budget.AllowedAt(key, now), budget.Message(controller, now), {}};
  for (const Operation* operation : deletions) {
    deferral.outcomes.push_back(DeferredOutcome(*operation, deferral.message));
  }
  return deferral;
}

void DeferDeletions(Plan* plan, const std::string& message) {
  Defer(plan, Deferred::kDeletions);
  if (!plan->status.has_value() || plan->status->blocked.has_value()) return;
  plan->status->blocked = ConditionValue{"False", std::string(kDeletionDeferred), message};
}

bool HasNothingToWrite(const Plan& plan) {
  return WritesNothing(plan) && (!plan.status.has_value() || KeepsApplied(*plan.status));
}

bool WritesOnlyProgress(const Plan& plan) {
  return CountOperations(plan) == 0 && plan.events.empty() && plan.status.has_value() &&
         plan.status->progress_only && KeepsApplied(*plan.status);
}

}  // namespace xebec::watcher
