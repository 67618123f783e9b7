// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/service/wiring.h"

namespace xebec::planner {

/// The planner's main(): loads the settings from flags, variables and file, and runs RunPlanner
/// until a signal. Returns the exit code.
int RunProcess(int argc, char** argv, const Release& release);

}  // namespace xebec::planner
