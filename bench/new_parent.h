// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "common/model/object.h"
#include "common/model/plan.h"
#include "planner/core/kind.h"

namespace xebec::bench {

/// The plan of the shipped planner for a parent that has no children yet. `parent` is the API
/// server's answer to the creation. nullopt if it cannot be planned.
std::optional<Plan> PlanNewParent(const ObjectBytes& parent, const planner::KindRegistry& kinds);

}  // namespace xebec::bench
