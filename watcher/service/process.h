// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "watcher/service/settings.h"

namespace xebec::watcher {

/// Runs the watcher until SIGTERM or SIGINT, then drains it. The error names the part that could
/// not be started.
absl::Status RunWatcher(const Settings& settings);

}  // namespace xebec::watcher
