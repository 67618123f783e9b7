// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/telemetry/metrics.h"
#include "watcher/engine/figures.h"

namespace xebec::watcher {

/// The engine's figures under the names that dashboards of controller-runtime use, and xebec_*
/// beside them.
std::vector<telemetry::Family> EngineFamilies(const EngineFigures& figures);

}  // namespace xebec::watcher
