// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/http/http_client.h"
#include "common/telemetry/metrics.h"

namespace xebec::http {

/// Returns an observer that counts the requests of one client under client-go's metric names:
/// rest_client_requests_total{code,method,host}, rest_client_request_retries_total{code,verb,host},
/// rest_client_request_duration_seconds, rest_client_request_size_bytes and
/// rest_client_response_size_bytes{verb,host}. `registry` must outlive the observer.
RequestObserver RestClientObserver(telemetry::Registry* registry);

}  // namespace xebec::http
