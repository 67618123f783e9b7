// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/queue/deletion_budget.h"

namespace xebec::watcher {

/// Operations of a plan that must not be sent yet.
enum class Deferred {
  kDeletions,    ///< Deletions of objects (the deletion budget).
  kDestructive,  ///< Deletions and removals of finalizers (after a predecessor's crash).
};

/// The operations of `plan` that are of that sort.
std::vector<const Operation*> Find(const Plan& plan, Deferred sort);

/// True when the plan removes a finalizer of the parent, which cannot be undone.
bool RemovesFinalizer(const Plan& plan);

/// Removes the operations of that sort, and every stage after the first one that had some, which
/// would have waited for them. The status stays.
void Defer(Plan* plan, Deferred sort);

/// What was deferred of a plan.
struct Deferral {
  absl::Duration until;  ///< Monotonic.
  std::string message;   ///< For clients.
  /// What the planner is told of the operations that the budget deferred: REFUSED with reason
  /// kDeletionDeferred, one for each.
  std::vector<Outcome> outcomes;
};

/// Defers destructive operations until `quarantine_end`, when plans of a predecessor have ended;
/// nullopt when nothing has to be deferred for that.
std::optional<Deferral> DeferInQuarantine(Plan* plan, absl::Duration quarantine_end,
                                          absl::Duration now);
/// The deferral of the plan's deletions while `budget` does not allow `key` any; nullopt: nothing
/// has to be deferred.
std::optional<Deferral> OverBudget(const Plan& plan, const std::string& controller, KeyId key,
                                   const DeletionBudget& budget, absl::Duration now);
/// Defers the deletions, and makes the status say Applied=False/DeletionDeferred with `message`
/// unless something else blocks it.
void DeferDeletions(Plan* plan, const std::string& message);

/// True when an applier would write nothing: no operation, the status is shown already, and so is
/// what it would make of the condition Applied (a plan with nothing to do heals an Applied that is
/// False since an earlier run).
bool HasNothingToWrite(const Plan& plan);

}  // namespace xebec::watcher
