// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>

#include "absl/synchronization/notification.h"
#include "common/http/http_client.h"

namespace xebec::bench {

/// Sends many similar requests as fast as the API server answers them.
class Burst {
 public:
  /// The request of the index.
  using Request = std::function<kube::ApiRequest(int index)>;
  /// The action after an accepted request. It calls `done` once, on the HTTP thread.
  using Sequel =
      std::function<void(const kube::ApiResponse& response, std::function<void(bool ok)> done)>;

  /// `sequel` may be empty.
  Burst(http::ApiClient* client, int count, Request request, Sequel sequel);

  /// Keeps `in_flight` requests with their sequels going until all are done. Returns true if the
  /// API server accepted everything. Prints refusals to stderr.
  bool Run(int in_flight);

 private:
  void StartNext();
  void OnResponse(const kube::ApiResponse& response);
  void OnDone(bool ok);

  http::ApiClient* const client_;
  const int count_;
  const Request request_;
  const Sequel sequel_;
  // After Run has begun, they are used on the HTTP thread alone.
  std::atomic<int> next_ = 0, done_ = 0, failed_ = 0;
  absl::Notification finished_;
};

}  // namespace xebec::bench
