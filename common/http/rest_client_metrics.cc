// SPDX-License-Identifier: Apache-2.0
#include "common/http/rest_client_metrics.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xebec::http {
namespace {

using telemetry::Labels;

/// The buckets of client-go.
std::vector<double> SizeBuckets() {
  return {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
}

/// The series of one method and code, resolved once. Used on the HTTP thread.
class Series {
 public:
  Series(telemetry::Registry* registry, const FinishedRequest& request)
      : by_code_{registry->AddCounter(
            "rest_client_requests_total", "API requests by code, method and host.",
            {{"code", Code(request)}, {"method", request.method}, {"host", request.host}})},
        retries_{registry->AddCounter(
            "rest_client_request_retries_total", "Retried API requests.",
            {{"code", Code(request)}, {"verb", request.method}, {"host", request.host}})},
        took_{registry->AddHistogram("rest_client_request_duration_seconds",
                                     "Duration of API requests.", telemetry::SecondsBuckets(),
                                     Verb(request))},
        sent_{registry->AddHistogram("rest_client_request_size_bytes",
                                     "Size of the bodies of API requests.", SizeBuckets(),
                                     Verb(request))},
        received_{registry->AddHistogram("rest_client_response_size_bytes",
                                         "Size of the bodies of API responses.", SizeBuckets(),
                                         Verb(request))} {}

  void Count(const FinishedRequest& request) {
    by_code_.Add();
    if (request.retries > 0) retries_.Add(request.retries);
    took_.Observe(absl::ToDoubleSeconds(request.took));
    sent_.Observe(static_cast<double>(request.request_bytes));
    received_.Observe(static_cast<double>(request.response_bytes));
  }

 private:
  static std::string Code(const FinishedRequest& request) {
    return request.status == 0 ? "<error>" : std::to_string(request.status);
  }
  static Labels Verb(const FinishedRequest& request) {
    return {{"verb", request.method}, {"host", request.host}};
  }

  telemetry::Counter by_code_, retries_;
  telemetry::Histogram took_, sent_, received_;
};

}  // namespace

RequestObserver RestClientObserver(telemetry::Registry* registry) {
  auto known = std::make_shared<std::map<std::pair<std::string, int>, Series>>();
  return [registry, known](const FinishedRequest& request) {
    known->try_emplace({request.method, request.status}, registry, request)
        .first->second.Count(request);
  };
}

}  // namespace xebec::http
