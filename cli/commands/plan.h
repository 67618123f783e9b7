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

/// What `xebec plan` is told.
struct PlanOptions {
  std::vector<std::string> files;  ///< "-" is standard input.
  std::string planner;             ///< Empty: planned here, by the built-in kinds.
  Transport transport;
  bool json = false;
};

/// The observations in a text of YAML or JSON documents: manifests of parents (also several in a
/// List), and what `xebec observation` prints. INVALID_ARGUMENT says where in `file` what is wrong.
absl::StatusOr<std::vector<Observation>> ReadObservations(const std::string& text,
                                                          const std::string& file);

/// Plans each and prints the plans to `out`; nothing is carried out. FAILED_PRECONDITION when one
/// of them cannot be planned as it is, which its plan tells.
absl::Status MakePlans(const PlanOptions& options, std::istream& in, std::ostream& out);

}  // namespace xebec::cli
