// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"

namespace xebec::planner {

/// Returns every built-in kind, with one entry for each API group that serves it.
KindRegistry BuiltInKinds();

}  // namespace xebec::planner
