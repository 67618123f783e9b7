// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// On a Database: the uid of the init Job that condition InitUnknown names; runs the initial
/// configuration once more.
inline constexpr std::string_view kInitAgainAnnotation = "xebec.dev/init-again";

/// The initial configuration: one Job, once for each uid of a Database, when `first_ready` (a
/// replica is ready). What became of it is recorded in status.init {state, jobName, jobUID}; the
/// Job is never changed and never deleted.
///
/// - Success is for ever: no later change and no removal of the Job runs it again.
/// - A Job that failed is run again when somebody deletes it.
/// - A Job that is gone without a recorded result: condition InitUnknown, no second run; the
/// message says how to go on. True when the initial configuration is done (or skipped).
bool PlanInit(const View& view, const DatabaseSpec& spec, bool first_ready, DesiredState* state);

}  // namespace xebec::planner
