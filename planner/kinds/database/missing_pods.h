// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "planner/core/kind.h"

namespace xebec::planner {

/// For a workload that lacks Pods: true once it has existed, and the condition has been False with
/// `reason` or PodsNotCreated, for 15 s. Until then it asks for a plan at that time. StatefulSets
/// and Jobs report the refusal of a Pod as an event only, so time tells it from a normal start.
bool LacksPodsForLong(const View& view, const Child& workload, std::string_view condition,
                      std::string_view reason, DesiredState* state);

}  // namespace xebec::planner
