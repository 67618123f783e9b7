// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/commands/connection.h"
#include "cli/commands/hook_client.h"

namespace xebec::cli {

/// The flags of `xebec hook check`.
struct HookCheckOptions {
  std::vector<std::string> files;  ///< As PlanOptions::files.
  HookOptions hook;
  Transport transport;
  bool json = false;
};

/// Checks whether a hook follows the rules of xebec.hooks.v1, with the requests that a planner
/// would send for the parents in the files, and prints each result. Writes nothing to a cluster.
/// FAILED_PRECONDITION if a check failed.
absl::Status CheckHook(const HookCheckOptions& options, std::istream& in, std::ostream& out);

}  // namespace xebec::cli
