// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/model/hook.h"

namespace xebec {

/// Returns the code in snake_case, as metrics have it: "unavailable", "too_large", ...
const char* MetricLabel(HookFailureCode code);

}  // namespace xebec
