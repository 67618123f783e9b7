// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/api_failure.h"

#include <utility>

#include "common/kube/api_status.h"

namespace xebec::watcher {

ApiFailure FailureOf(const kube::ApiResponse& response) {
  if (response.error != kube::TransportError::kNone) {
    return {.http_status = 0, .reason = "", .message = response.error_message, .retry_after = {}};
  }
  kube::ApiStatus status = kube::ParseApiStatus(response.body);
  return {.http_status = response.status,
          .reason = std::move(status.reason),
          .message = std::move(status.message),
          .retry_after = response.retry_after};
}

}  // namespace xebec::watcher
