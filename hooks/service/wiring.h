// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "hooks/service/settings.h"

namespace xebec::gateway {

/// Returns the address of the API server if the process runs in a cluster, otherwise "".
std::string ApiServerAddress();

/// Runs the gateway until `wait_for_stop` returns the reason to stop, for the log. Then drains it.
/// Returns an error if the gateway could not be started.
absl::Status RunGateway(const Settings& settings,
                        const std::function<std::string()>& wait_for_stop);

}  // namespace xebec::gateway
