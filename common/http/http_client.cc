// SPDX-License-Identifier: Apache-2.0
#include "common/http/http_client.h"

#include <curl/curl.h>

#include <utility>

#include "common/http/client_loop.h"

namespace xebec::http {
namespace {

/// libcurl must be initialized once, before any thread uses it.
void InitializeCurl() {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)once;
}

}  // namespace

class ApiClient::Impl : public internal::ClientLoop {
 public:
  using ClientLoop::ClientLoop;
};

ApiClient::ApiClient(kube::ClusterAccess access, ApiClientOptions options) {
  InitializeCurl();
  impl_ = std::make_shared<Impl>(std::move(access), std::move(options));
}

ApiClient::~ApiClient() = default;

void ApiClient::Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done,
                     absl::Duration timeout) {
  impl_->Send(std::move(request), std::move(done), timeout);
}

std::unique_ptr<Stream> ApiClient::Watch(kube::ApiRequest request, absl::Duration timeout,
                                         StreamEvents events) {
  return impl_->Watch(std::move(request), timeout, std::move(events));
}

size_t ApiClient::InFlight() const { return impl_->InFlight(); }

const kube::ClusterConfig& ApiClient::config() const { return impl_->config(); }

}  // namespace xebec::http
