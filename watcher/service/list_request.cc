// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/list_request.h"

#include <utility>
#include <vector>

namespace xebec::watcher {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

kube::ApiRequest Get(std::string path, const Query& query) {
  char separator = '?';
  for (const auto& [key, value] : query) {
    if (value.empty()) continue;
    path += separator + key + '=' + kube::QueryEscape(value);
    separator = '&';
  }
  return {.method = "GET", .path = std::move(path), .content_type = "", .body = ""};
}

}  // namespace

kube::ApiRequest ListRequest(const StartList& request) {
  return Get(kube::CollectionPath(request.type, request.ns),
             {{"limit", std::to_string(request.limit)},
              {"continue", request.continue_token},
              {"labelSelector", request.label_selector},
              {"shardSelector", request.shard_selector}});
}

kube::ApiRequest ListRequest(const LiveList& request, const std::string& continue_token) {
  return Get(kube::CollectionPath(request.type, request.ns),
             {{"limit", std::to_string(request.limit)},
              {"continue", continue_token},
              {"labelSelector", request.label_selector},
              {"fieldSelector", request.field_selector}});
}

kube::ApiRequest WatchRequest(const StartWatch& request) {
  return Get(kube::CollectionPath(request.type, request.ns),
             {{"watch", "1"},
              {"allowWatchBookmarks", "true"},
              {"timeoutSeconds", std::to_string(absl::ToInt64Seconds(request.timeout))},
              {"labelSelector", request.label_selector},
              {"shardSelector", request.shard_selector},
              {"resourceVersion", request.resource_version}});
}

}  // namespace xebec::watcher
