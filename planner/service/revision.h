// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Returns the description of the planner's kinds.
PlannerDescription Describe(const KindRegistry& kinds, const std::string& revision);

/// Returns "<version>-<digest of the registered kinds>". It changes with the version of the build
/// and with the registered kinds.
std::string PlannerRevision(const std::string& version, const KindRegistry& kinds);

}  // namespace xebec::planner
