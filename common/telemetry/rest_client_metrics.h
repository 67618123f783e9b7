// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/time/time.h"
#include "common/telemetry/metrics.h"

namespace xebec::telemetry {

/// Counts finished API requests as rest_client_requests_total{code,method} and their time as
/// rest_client_request_duration_seconds{verb}. Fits http::ApiClientOptions::observer; `registry`
/// outlives it.
std::function<void(const std::string& method, int status, absl::Duration took)> RestClientObserver(
    Registry* registry);

}  // namespace xebec::telemetry
