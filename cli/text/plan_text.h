// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"

namespace xebec::cli {

/// "Iris default/web", or "a parent" if the observation has no name.
std::string ParentOf(const Observation& observation);

/// The plan as text under the heading `parent`: its operations in order, the status, the time of
/// the next reconcile, and notes.
std::string PlanText(const std::string& parent, const Plan& plan);

/// Why the plan does not say everything that would be written, a line for each reason; empty if it
/// does.
std::string UndecidedText(const Plan& plan);

}  // namespace xebec::cli
