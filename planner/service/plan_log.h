// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/telemetry/log.h"

namespace xebec::planner {

/// info for a plan that writes something or that has to be made again, debug for the many that find
/// nothing to do.
telemetry::Level LevelOf(const Plan& plan);

/// What the plan writes, in order: "apply deployments.apps default/web; status". Of a long plan the
/// first few operations and how many more.
std::string Summary(const Plan& plan);

/// Writes the plan's line.
void LogPlan(const Plan& plan, absl::Duration took);

}  // namespace xebec::planner
