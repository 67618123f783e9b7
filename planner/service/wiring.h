// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "planner/core/kind.h"
#include "planner/service/settings.h"

namespace xebec::planner {

/// The version and the kinds of a planner. Its revision is derived from both.
struct Release {
  std::string version;
  KindRegistry kinds;
};

/// Returns the version of this build with the built-in kinds.
Release ThisRelease();

/// Runs a planner until `wait_for_stop` returns the reason to stop (for the log), then drains it.
/// The error names the part that could not be started.
absl::Status RunPlanner(const Settings& settings, const Release& release,
                        const std::function<std::string()>& wait_for_stop);

}  // namespace xebec::planner
