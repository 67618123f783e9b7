// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/commands/connection.h"

namespace xebec::cli {

/// The flags of `xebec check`.
struct CheckOptions {
  std::string watcher;  ///< Empty means that the service is not checked.
  std::string planner = "127.0.0.1:7443";
  std::string applier = "127.0.0.1:7444";
  std::string hooks;    ///< The gateways. Empty means that the service is not checked.
  absl::Duration wait;  ///< The time for retries. DNS lags behind the Pods.
  Transport transport;
};

/// Checks that the services at all their addresses are serving, and requests one plan from each
/// planner as a watcher would. Retries after each `pause` until options.wait has passed. Blocks.
/// Returns a summary for users, or an error that names the failing service.
absl::StatusOr<std::string> Check(const CheckOptions& options,
                                  absl::Duration pause = absl::Seconds(1));

}  // namespace xebec::cli
