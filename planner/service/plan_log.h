// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/telemetry/log.h"

namespace xebec::planner {

/// Returns info for a plan that has to be made again and for one that says for the first time that
/// a parent is invalid. Returns debug for all others: the applier logs what was written.
telemetry::Level LevelOf(const Plan& plan);

/// Returns the writes of a plan, in order: "apply deployments.apps default/web; status". Of a long
/// plan, returns the first operations and the number of the others.
std::string Summary(const Plan& plan);

/// Writes the log line of a plan.
void LogPlan(const Plan& plan, absl::Duration took);

}  // namespace xebec::planner
