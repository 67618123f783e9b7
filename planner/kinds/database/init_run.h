// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// On a Database: the uid of the last init Job (status.init.jobUID). It runs the initial
/// configuration once more, after InitUnknown or after success.
inline constexpr std::string_view kInitAgainAnnotation = "xebec.dev/init-again";

/// The initial configuration: one Job, once for each uid of a Database, when `first_ready` (a
/// replica is ready). The result is recorded in status.init {state, jobName, jobUID}.
///
/// - Success is final: no later change and no removal of the Job runs it again.
/// - A Job that has not succeeded and that was made from another spec is replaced. The status
///   records that before the Job is deleted, so a Job that is gone is never mistaken for one that
///   somebody else deleted.
/// - A Job that failed runs again when it is deleted.
/// - A Job that is gone without a recorded result: condition InitUnknown, no second run; the
///   message says how to go on.
///
/// True when the initial configuration is done (or skipped).
bool PlanInit(const View& view, const DatabaseSpec& spec, bool first_ready, DesiredState* state);

}  // namespace xebec::planner
