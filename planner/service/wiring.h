// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "planner/service/settings.h"

namespace xebec::planner {

/// Runs the planner until `wait_for_stop` returns (the reason, for the log), then drains. Errors
/// say what could not be started.
absl::Status RunPlanner(const Settings& settings,
                        const std::function<std::string()>& wait_for_stop);

}  // namespace xebec::planner
