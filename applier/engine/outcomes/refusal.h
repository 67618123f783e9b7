// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::applier {

/// The outcome of a plan of which nothing was started.
struct Refused {
  OutcomeCode code;
  std::string reason;   ///< UpperCamelCase constant, a metric label: "Draining".
  std::string message;  ///< For users.
  std::optional<absl::Duration> retry_after = std::nullopt;
};

/// Returns the report of a plan of which nothing was started: every operation, and the status write
/// if the plan has one, has this outcome.
Report RefuseAll(const Plan& plan, const Refused& refused, uint64_t highest_epoch);

}  // namespace xebec::applier
