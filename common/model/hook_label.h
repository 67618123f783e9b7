// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "common/model/hook.h"

namespace xebec {

/// Reasons of the condition HookFailed for calls that the hook answered.
inline constexpr std::string_view kHookError = "HookError";
inline constexpr std::string_view kHookAnswerInvalid = "HookAnswerInvalid";
inline constexpr std::string_view kHookInconsistent = "HookInconsistent";

/// Returns the code in snake_case, as metrics have it: "unavailable", "too_large", ...
const char* MetricLabel(HookFailureCode code);

/// Returns the result of a call that the hook answered, as metrics have it: "ok", "error",
/// "invalid" or "inconsistent". `hook_failure` is that of the plan (Plan::hook_failure).
const char* DecisionLabel(std::string_view hook_failure);

}  // namespace xebec
