// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// Annotation of a Database: the uid of the last init Job (status.init.jobUID). It runs the initial
/// configuration again, after InitUnknown or after a success.
inline constexpr std::string_view kInitAgainAnnotation = "xebec.dev/init-again";

enum class Initialization {
  kNotRunning,  ///< The Job does not exist, or it ended without a success.
  kRunning,     ///< The Job exists and has not ended.
  kComplete,    ///< The Job succeeded, or spec.init.skip is set.
};

/// Plans the initial configuration: one Job, once for each uid of a Database, when `first_ready` (a
/// replica is ready). Records the result in status.init {state, jobName, jobUID}.
///
/// - A success is final: no later change and no deletion of the Job runs it again.
/// - A Job that has not succeeded and was created from another spec is replaced. The status records
///   this before the Job is deleted, so that the deletion is not mistaken for one by a user.
/// - A failed Job runs again after a user has deleted it.
/// - If a Job disappeared without a recorded result, the condition InitUnknown is set and no second
///   Job runs. The message explains how to continue.
Initialization PlanInit(const View& view, const DatabaseSpec& spec, bool first_ready,
                        DesiredState* state);

}  // namespace xebec::planner
