// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/observation.h"
#include "common/model/plan.h"

namespace xebec::cli {

/// The objects that the plan creates (+), changes (~) and deletes (-), each field with its old and
/// new value, and then UndecidedText. Empty if the plan writes nothing. The status is left out,
/// because every change of a child changes it.
std::string DiffText(const Observation& observation, const Plan& plan);

}  // namespace xebec::cli
