// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "planner/core/kind.h"

namespace xebec::planner {

/// What the planner says of its kinds.
PlannerDescription Describe(const KindRegistry& kinds, const std::string& revision);

/// "<version>-<digest of the registered kinds>": changes with the build's version and with what is
/// registered.
std::string PlannerRevision(const std::string& version, const KindRegistry& kinds);

}  // namespace xebec::planner
