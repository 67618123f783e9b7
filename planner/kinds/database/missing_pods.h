// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "planner/core/kind.h"

namespace xebec::planner {

/// For a workload without all of its Pods. Returns true once the workload has existed, and the
/// condition has been False with `reason` or PodsNotCreated, for 15 s; before that, requests a plan
/// for that time. StatefulSets and Jobs report a refused Pod only as an event, so only the elapsed
/// time distinguishes a refusal from a normal start.
bool LacksPodsForLong(const View& view, const Child& workload, std::string_view condition,
                      std::string_view reason, DesiredState* state);

}  // namespace xebec::planner
