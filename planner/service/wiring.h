// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "planner/core/kind.h"
#include "planner/service/settings.h"

namespace xebec::planner {

/// What a planner is: its revision is made of both.
struct Release {
  std::string version;
  KindRegistry kinds;
};

/// The release of this build, with the built-in kinds.
Release ThisRelease();

/// Runs a planner until `wait_for_stop` returns (the reason, for the log), then drains. Errors say
/// what could not be started.
absl::Status RunPlanner(const Settings& settings, const Release& release,
                        const std::function<std::string()>& wait_for_stop);

}  // namespace xebec::planner
