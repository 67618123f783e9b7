// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// ImmortalContainer (immortalcontainer.flugel.it and immortalcontainers.flugel.it, v1alpha1): one
/// Pod `<name>-immortalpod` that is created again whenever it ends or is deleted. docs/crds.md
/// lists the fields of spec and status.
///
/// Each Pod has the number of its start: see start_count.h for the exact count, and back_off.h for
/// the pause between starts. Nothing is created while any Pod of the parent exists. A Pod is
/// deleted only after the cached status contains its start and its end.
std::vector<Kind> ImmortalContainerKinds();

}  // namespace xebec::planner
