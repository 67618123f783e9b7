// SPDX-License-Identifier: Apache-2.0
#include "common/model/hook.h"

#include "absl/strings/str_cat.h"

namespace xebec {

std::string Describe(const HookEndpoint& endpoint) {
  const auto* service = std::get_if<HookService>(&endpoint.target);
  if (service == nullptr) return std::get<std::string>(endpoint.target);
  return absl::StrCat("service ", service->ns, "/", service->name, ":", service->port);
}

const char* Name(HookFailureCode code) {
  switch (code) {
    case HookFailureCode::kUnavailable:
      return "Unavailable";
    case HookFailureCode::kTimeout:
      return "Timeout";
    case HookFailureCode::kThrottled:
      return "Throttled";
    case HookFailureCode::kRejected:
      return "Rejected";
    case HookFailureCode::kTooLarge:
      return "TooLarge";
    case HookFailureCode::kMalformed:
      return "Malformed";
    case HookFailureCode::kForbidden:
      return "Forbidden";
  }
  return "Unavailable";
}

}  // namespace xebec
