// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/http/http_client.h"
#include "common/kube/discovery.h"
#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// Returns the type of a declared resource; nullopt if `support` says that it is not served.
std::optional<ResourceType> TypeOf(const DeclaredResource& resource,
                                   const kube::ResourceSupport& support);

/// Finds out in which version the API server serves a resource: asks for the versions of the group
/// and then for the resources of each of them, in the API server's order, until one has the
/// resource. Posts one Resolved or ResolveFailed. It lives until then; its callbacks run on the
/// HTTP thread.
class ResourceSearch : public std::enable_shared_from_this<ResourceSearch> {
 public:
  /// `client` and `queue` must outlive the search. `resource` has no version and is not of the core
  /// group.
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
