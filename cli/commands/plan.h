// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/commands/connection.h"
#include "common/model/observation.h"

namespace xebec::cli {

/// The flags of `xebec plan`.
struct PlanOptions {
  std::vector<std::string> files;  ///< "-" is standard input.
  std::string planner;  ///< Empty means to plan in this process, with the built-in kinds.
  Transport transport;
  bool json = false;
};

/// Parses YAML or JSON documents into observations: manifests of parents (also in a List) and the
/// output of `xebec observation`. INVALID_ARGUMENT contains the position in `file`.
absl::StatusOr<std::vector<Observation>> ReadObservations(const std::string& text,
                                                          const std::string& file);

/// Prints the plans for all parents to `out`; nothing is written to a cluster. FAILED_PRECONDITION
/// if a parent is invalid; its plan says why.
absl::Status MakePlans(const PlanOptions& options, std::istream& in, std::ostream& out);

/// Prints the fields that the plans change, with old and new values, to `out`. Returns whether
/// there is any. Errors are those of MakePlans.
absl::StatusOr<bool> MakeDiffs(const PlanOptions& options, std::istream& in, std::ostream& out);

}  // namespace xebec::cli
