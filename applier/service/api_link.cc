// SPDX-License-Identifier: Apache-2.0
#include "applier/service/api_link.h"

namespace xebec::applier {

void ApiLink::Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done) {
  std::shared_ptr<http::ApiClient> client;
  {
    MutexLock lock(&mu_);
    client = client_;
  }
  if (client != nullptr) return client->Send(std::move(request), std::move(done));
  kube::ApiResponse response;
  response.error = kube::TransportError::kNotSent;
  response.error_message = "the applier is stopping";
  done(std::move(response));
}

void ApiLink::Cut() {
  std::shared_ptr<http::ApiClient> client;
  MutexLock lock(&mu_);
  client.swap(client_);
}

}  // namespace xebec::applier
