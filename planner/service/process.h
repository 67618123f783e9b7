// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/service/wiring.h"

namespace xebec::planner {

/// The planner's main(): settings from flags, variables and file, then RunPlanner until a signal.
/// Returns the exit code.
int RunProcess(int argc, char** argv, const Release& release);

}  // namespace xebec::planner
