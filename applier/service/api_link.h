// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/http/http_client.h"

namespace xebec::applier {

/// An ApiClient that can be taken away while others still want to send. Thread-safe.
class ApiLink {
 public:
  ApiLink(kube::ClusterAccess access, http::ApiClientOptions options)
      : client_(std::make_shared<http::ApiClient>(std::move(access), std::move(options))) {}

  /// As ApiClient::Send; after Cut the answer is "not sent".
  void Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done)
      ABSL_LOCKS_EXCLUDED(mu_);

  /// Ends what is in flight and sends nothing more.
  void Cut() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  Mutex mu_;
  std::shared_ptr<http::ApiClient> client_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::applier
