// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"

namespace xebec::cli {

/// "Iris default/web", as far as the observation says; "a parent" where it says nothing.
std::string ParentOf(const Observation& observation);

/// A plan as people read it: what would be written in which order, the status, when it is looked
/// at again, notes. `parent` heads it.
std::string PlanText(const std::string& parent, const Plan& plan);

}  // namespace xebec::cli
