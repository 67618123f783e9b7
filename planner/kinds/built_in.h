// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"

namespace xebec::planner {

/// Every kind that ships with the planner, one entry for each API group that it is served under.
KindRegistry BuiltInKinds();

}  // namespace xebec::planner
