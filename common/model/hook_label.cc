// SPDX-License-Identifier: Apache-2.0
#include "common/model/hook_label.h"

namespace xebec {

const char* MetricLabel(HookFailureCode code) {
  switch (code) {
    case HookFailureCode::kUnavailable:
      return "unavailable";
    case HookFailureCode::kTimeout:
      return "timeout";
    case HookFailureCode::kThrottled:
      return "throttled";
    case HookFailureCode::kRejected:
      return "rejected";
    case HookFailureCode::kTooLarge:
      return "too_large";
    case HookFailureCode::kMalformed:
      return "malformed";
    case HookFailureCode::kForbidden:
      return "forbidden";
  }
  return "unavailable";
}

const char* DecisionLabel(std::string_view hook_failure) {
  if (hook_failure == kHookError) return "error";
  if (hook_failure == kHookAnswerInvalid) return "invalid";
  return hook_failure == kHookInconsistent ? "inconsistent" : "ok";
}

}  // namespace xebec
