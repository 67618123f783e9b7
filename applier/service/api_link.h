// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/http/http_client.h"

namespace xebec::applier {

/// An ApiClient that can be closed while other threads still send. Thread-safe.
class ApiLink {
 public:
  ApiLink(kube::ClusterAccess access, http::ApiClientOptions options)
      : client_(std::make_unique<http::ApiClient>(std::move(access), std::move(options))) {}

  /// As ApiClient::Send. After Cut, each request fails with kNotSent.
  void Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done)
      ABSL_LOCKS_EXCLUDED(mu_);

  /// Cancels the requests in flight and sends no further request. Not called by a thread of the
  /// client.
  void Cut() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  Mutex mu_;
  CondVar idle_;
  std::unique_ptr<http::ApiClient> client_ ABSL_GUARDED_BY(mu_);
  size_t sending_ ABSL_GUARDED_BY(mu_) = 0;  ///< Calls of Send that use the client.
};

}  // namespace xebec::applier
