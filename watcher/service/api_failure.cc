// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/api_failure.h"

#include <utility>

#include "common/base/strings.h"
#include "common/kube/api_status.h"

namespace xebec::watcher {
namespace {

constexpr int kOk = 200;
constexpr int kNotFound = 404;

}  // namespace

bool Ok(const kube::ApiResponse& response) {
  return response.error == kube::TransportError::kNone && response.status == kOk;
}

bool Missing(const kube::ApiResponse& response) { return response.status == kNotFound; }

ApiFailure Unreadable(const absl::Status& status) {
  return {.http_status = kOk,
          .reason = "Unreadable",
          .message = std::string(ToStd(status.message())),
          .retry_after = std::nullopt};
}

ApiFailure FailureOf(const kube::ApiResponse& response) {
  if (response.error != kube::TransportError::kNone) {
    return {.http_status = 0,
            .reason = "",
            .message = response.error_message,
            .retry_after = std::nullopt,
            .not_sent = response.error == kube::TransportError::kNotSent};
  }
  kube::ApiStatus status = kube::ParseApiStatus(response.body);
  return {.http_status = response.status,
          .reason = std::move(status.reason),
          .message = std::move(status.message),
          .retry_after = response.retry_after};
}

}  // namespace xebec::watcher
