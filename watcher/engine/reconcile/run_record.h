// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/reconcile/completion.h"
#include "watcher/engine/reconcile/run_result.h"
#include "watcher/engine/reconcile/turn.h"

namespace xebec::watcher {

/// Why there is no plan.
enum class NoPlan {
  kUnanswered,  ///< No planner has answered in time.
  kUnusable,    ///< The next attempt may succeed.
  kUnreadable,  ///< The planner could not read the observation.
  kNotOwned,    ///< The plan changes objects that the planner was not shown.
};

/// Counts and notes that there is no plan.
void RecordNoPlan(NoPlan reason, const std::string& why, Turn* turn);

/// Counts that no report on the plan arrived. Returns the report that stands for it.
Report LostReport(const Plan& plan, Turn* turn);

/// Records a call of a hook that took that long: counts and notes a failure, and counts the
/// failures in a row in the key's record. RecordDecision counts answers. Returns true for the first
/// failure, which may pass.
bool RecordHookAnswer(const HookAnswer& answer, absl::Duration took, Turn* turn);

/// Counts the answers of a hook from which `plan` was made, by what the plan says about them. If
/// there are two, they were compared: updates the doubt in the key's record.
void RecordDecision(const Plan& plan, uint64_t answers, Turn* turn);

/// Removes the operations of `plan` that must be deferred, and stores their outcomes for the
/// planner. The plan has its envelope.
void DeferOperations(Plan* plan, Turn* turn, RunResult* result);

/// Returns true if `plan` would write only progress, and its status has been written so recently
/// that it should wait. Stores in `result` when it is due. Must follow DeferOperations.
bool DelayProgress(const Plan& plan, const Turn& turn, RunResult* result);

/// Stores and counts the outcomes of a plan that was sent, and adds them to `result`.
void RememberReport(const Plan& plan, const Report& report, const Completion& completion,
                    Turn* turn, RunResult* result);

}  // namespace xebec::watcher
