// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::applier {

/// The report of a plan of which nothing was started: every operation, and the status write where
/// the plan has one to make, has this outcome.
Report RefuseAll(const Plan& plan, OutcomeCode code, std::string_view reason,
                 std::string_view message, uint64_t highest_epoch);

}  // namespace xebec::applier
