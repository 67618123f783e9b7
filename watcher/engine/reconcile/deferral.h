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

/// The kinds of operations that can be deferred.
enum class Deferred {
  kDeletions,    ///< Deletions of objects. Deferred by the deletion budget.
  kDestructive,  ///< Deletions and removals of finalizers. Deferred in quarantine.
};

/// Returns the operations of `plan` of this kind.
std::vector<const Operation*> Find(const Plan& plan, Deferred sort);

/// Returns true if the plan removes a finalizer of the parent, which cannot be undone.
bool RemovesFinalizer(const Plan& plan);

/// Removes the operations of this kind, and every stage after the first one that contained such an
/// operation, because later stages depend on it. The status stays.
void Defer(Plan* plan, Deferred sort);

/// The deferral of operations of a plan.
struct Deferral {
  absl::Duration until;  ///< End of the deferral; monotonic.
  std::string message;   ///< For users.
  /// The outcomes for the planner: for each operation that the budget deferred, REFUSED with the
  /// reason kDeletionDeferred.
  std::vector<Outcome> outcomes;
};

/// Defers destructive operations until `quarantine_end`, when all plans of a predecessor have
/// ended. Returns nullopt if the plan has none or the quarantine is over.
std::optional<Deferral> DeferInQuarantine(Plan* plan, absl::Duration quarantine_end,
                                          absl::Duration now);
/// Returns the deferral of the plan's deletions if `budget` does not allow `key` to delete; nullopt
/// otherwise.
std::optional<Deferral> OverBudget(const Plan& plan, const std::string& controller, KeyId key,
                                   const DeletionBudget& budget, absl::Duration now);
/// Removes the deletions, and sets the status to Applied=False/DeletionDeferred with `message`
/// unless another reason already blocks it.
void DeferDeletions(Plan* plan, const std::string& message);

/// Returns true if an applier would write nothing: there is no operation, and the parent already
/// has the planned status and the condition Applied that would follow from it. (A plan without
/// operations resets an Applied that is False since an earlier reconcile.)
bool HasNothingToWrite(const Plan& plan);

/// Returns true if an applier would write only the status, and that shows only progress
/// (StatusIntent::progress_only).
bool WritesOnlyProgress(const Plan& plan);

}  // namespace xebec::watcher
