// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/reconcile/completion.h"
#include "watcher/engine/reconcile/run_result.h"
#include "watcher/engine/reconcile/turn.h"

namespace xebec::watcher {

/// Removes the operations of `plan` that must be deferred, and stores their outcomes for the
/// planner. The plan has its envelope.
void DeferOperations(Plan* plan, Turn* turn, RunResult* result);

/// Stores and counts the outcomes of a plan that was sent, and adds them to `result`.
void RememberReport(const Plan& plan, const Report& report, const Completion& completion,
                    Turn* turn, RunResult* result);

}  // namespace xebec::watcher
