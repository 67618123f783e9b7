// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/rest_client_metrics.h"

namespace xebec::telemetry {

std::function<void(const std::string&, int, absl::Duration)> RestClientObserver(
    Registry* registry) {
  return [registry](const std::string& method, int status, absl::Duration took) {
    const std::string code = status == 0 ? "<error>" : std::to_string(status);
    registry
        ->AddCounter("rest_client_requests_total", "API requests by code and method.",
                     {{"code", code}, {"method", method}})
        .Add();
    registry
        ->AddHistogram("rest_client_request_duration_seconds", "Time of API requests.",
                       SecondsBuckets(), {{"verb", method}})
        .Observe(absl::ToDoubleSeconds(took));
  };
}

}  // namespace xebec::telemetry
