// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/commands/connection.h"

namespace xebec::cli {

/// What `xebec check` is told.
struct CheckOptions {
  std::string watcher;  ///< Empty: is not asked.
  std::string planner = "127.0.0.1:7443";
  std::string applier = "127.0.0.1:7444";
  absl::Duration wait;  ///< How long it is tried anew: Pods come and go, and DNS tells it later.
  Transport transport;
};

/// Asks the services at all their addresses whether they serve, and each planner for one plan, as a
/// watcher would; while something is wrong, after each `pause` until options.wait is over. Blocks.
/// The answer says for people what was found; an error, who does not do what.
absl::StatusOr<std::string> Check(const CheckOptions& options,
                                  absl::Duration pause = absl::Seconds(1));

}  // namespace xebec::cli
