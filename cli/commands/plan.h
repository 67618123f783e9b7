// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/commands/connection.h"
#include "cli/commands/hook_client.h"
#include "common/model/observation.h"
#include "planner/core/kind.h"

namespace xebec::cli {

/// The flags of `xebec plan`.
struct PlanOptions {
  std::vector<std::string> files;  ///< "-" is standard input.
  std::string planner;  ///< Empty means to plan in this process, with the kinds of AllKinds.
  HookOptions hook;     ///< Used only without `planner`.
  /// The file for the observations with the answers of the hook; empty for none.
  std::string record;
  Transport transport;
  bool json = false;
};

/// Parses YAML or JSON documents into observations: manifests of parents (also in a List) and the
/// output of `xebec observation`. INVALID_ARGUMENT contains the position in `file`.
absl::StatusOr<std::vector<Observation>> ReadObservations(const std::string& text,
                                                          const std::string& file);

/// Reads and parses files; "-" is standard input.
absl::StatusOr<std::vector<Observation>> ReadFiles(const std::vector<std::string>& files,
                                                   std::istream& in);

/// Returns the built-in kinds, and the codec for declared ones.
planner::KindRegistry AllKinds();

/// Prints the plans for all parents to `out`; nothing is written to a cluster. FAILED_PRECONDITION
/// if a parent is invalid or its hook fails; its plan says why.
absl::Status MakePlans(const PlanOptions& options, std::istream& in, std::ostream& out);

/// Prints the fields that the plans change, with old and new values, to `out`. Returns whether
/// there is any. FAILED_PRECONDITION if a plan does not say everything that it would write, for
/// example because it needs the answer of a hook.
absl::StatusOr<bool> MakeDiffs(const PlanOptions& options, std::istream& in, std::ostream& out);

}  // namespace xebec::cli
