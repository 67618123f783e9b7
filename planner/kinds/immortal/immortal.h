// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// ImmortalContainer (immortalcontainer.flugel.it and immortalcontainers.flugel.it, v1alpha1): one
/// Pod
/// `<name>-immortalpod` that always comes back.
///
/// spec:   image, imagePullSecrets (of new Pods).
/// status: currentPod (empty while none lives), startTimes, image, endedStart, quickEnds,
/// nextStart, Ready, BackOff,
///         PodsStuck.
///
/// Each Pod carries the number of its start; start_count.h says how the count is kept exact,
/// back_off.h how the pause between starts grows. Nothing is created while any Pod of the parent
/// exists, and a Pod is deleted only after its start and its end were seen recorded in the status.
std::vector<Kind> ImmortalContainerKinds();

}  // namespace xebec::planner
