// SPDX-License-Identifier: Apache-2.0
#include "applier/service/api_link.h"

namespace xebec::applier {

void ApiLink::Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done) {
  http::ApiClient* client = nullptr;
  {
    MutexLock lock(&mu_);
    client = client_.get();
    if (client != nullptr) ++sending_;
  }
  if (client == nullptr) {
    kube::ApiResponse response;
    response.error = kube::TransportError::kNotSent;
    response.error_message = "the applier is stopping";
    return done(std::move(response));
  }
  client->Send(std::move(request), std::move(done));
  MutexLock lock(&mu_);
  if (--sending_ == 0) idle_.NotifyAll();
}

void ApiLink::Cut() {
  std::unique_ptr<http::ApiClient> client;  // destroyed without the lock: its callbacks may send
  MutexLock lock(&mu_);
  client.swap(client_);
  while (sending_ > 0) idle_.Wait(&mu_);
}

}  // namespace xebec::applier
