// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// Which operations of a plan must not be sent yet.
enum class Hold {
  kDeletions,    ///< Of objects (the budget).
  kDestructive,  ///< Deletions and removals of finalizers (after a predecessor's crash).
};

/// The operations of `plan` that `hold` is about.
std::vector<const Operation*> Held(const Plan& plan, Hold hold);

/// It lets the parent go, which cannot be taken back.
bool RemovesFinalizer(const Plan& plan);

/// Takes the held operations out, and every stage after the first one that had some, which would
/// have waited for them. The status stays.
void HoldBack(Plan* plan, Hold hold);

/// What the planner is told of an operation that is held: REFUSED with reason kDeletionDeferred.
Outcome HeldOutcome(const Operation& operation, const std::string& message);

/// Makes the status say Applied=False/DeletionDeferred, unless it is blocked by something else
/// already.
void ShowHeld(Plan* plan, const std::string& message);

/// True when an applier would write nothing: no operation, the status is shown already, and so is
/// what it would make of the condition Applied (a plan with nothing to do heals an Applied that is
/// False since an earlier run).
bool HasNothingToWrite(const Plan& plan);

}  // namespace xebec::watcher
