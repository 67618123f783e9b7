// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/http/http_client.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// Carries out a Resolve: finds the type of a resource in its version or, if it has none, in the
/// first version of its group that has the resource, in the API server's order. Posts one Resolved
/// or ResolveFailed. It lives until then; its callbacks run on the HTTP thread.
class ResourceSearch : public std::enable_shared_from_this<ResourceSearch> {
 public:
  /// `client` and `queue` must outlive the search. A resource of the core group has a version.
  ResourceSearch(DeclaredResource resource, http::ApiClient* client, MessageQueue* queue)
      : resource_(std::move(resource)), client_(client), queue_(queue) {}

  void Start();

 private:
  void OnGroup(const kube::ApiResponse& response);
  void Next();
  void OnVersion(const kube::ApiResponse& response);
  void Fail(ApiFailure failure);
  void Post(Input answer);
  void Get(std::string path, void (ResourceSearch::*take)(const kube::ApiResponse&));

  DeclaredResource resource_;
  http::ApiClient* const client_;
  MessageQueue* const queue_;
  std::vector<std::string> versions_;
  size_t next_ = 0;
};

}  // namespace xebec::watcher
