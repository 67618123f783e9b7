// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "applier/service/settings.h"

namespace xebec::applier {

/// Runs the applier until `wait_for_stop` returns the reason to stop, for the log. Then drains it.
/// Returns an error if the applier could not be started.
absl::Status RunApplier(const Settings& settings,
                        const std::function<std::string()>& wait_for_stop);

}  // namespace xebec::applier
