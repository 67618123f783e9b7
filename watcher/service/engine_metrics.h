// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/telemetry/metrics.h"
#include "watcher/engine/figures.h"

namespace xebec::watcher {

/// Returns the engine's figures as metrics: those that controller-runtime has under its names, and
/// others under xebec_*.
std::vector<telemetry::Family> EngineFamilies(const EngineFigures& figures);

}  // namespace xebec::watcher
