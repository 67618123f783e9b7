// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/resource_search.h"

#include "absl/strings/str_cat.h"
#include "common/kube/discovery.h"
#include "watcher/service/api_failure.h"

namespace xebec::watcher {
namespace {

ResourceType TypeIn(const std::string& version, const DeclaredResource& resource) {
  return {resource.group, version, "", resource.plural, false};
}

}  // namespace

void ResourceSearch::Start() {
  if (resource_.version.empty()) {
    return Get(absl::StrCat("/apis/", resource_.group), &ResourceSearch::OnGroup);
  }
  versions_ = {resource_.version};
  Next();
}

void ResourceSearch::OnGroup(const kube::ApiResponse& response) {
  if (Missing(response)) return Post(Resolved{resource_});
  if (!Ok(response)) return Fail(FailureOf(response));
  auto versions = kube::DecodeGroup(response.body);
  if (!versions.ok()) return Fail(Unreadable(versions.status()));
  versions_ = *std::move(versions);
  Next();
}

void ResourceSearch::Next() {
  if (next_ == versions_.size()) return Post(Resolved{resource_});
  Get(kube::DiscoveryPath(TypeIn(versions_[next_], resource_)), &ResourceSearch::OnVersion);
}

// Every API server serves the core group. If it is missing, the response comes from another server.
void ResourceSearch::OnVersion(const kube::ApiResponse& response) {
  ResourceType type = TypeIn(versions_[next_++], resource_);
  if (Missing(response) && !type.group.empty()) return Next();
  if (!Ok(response)) return Fail(FailureOf(response));
  const auto support = kube::DecodeDiscovery(response.body, type.plural);
  if (!support.ok()) return Fail(Unreadable(support.status()));
  if (!support->served || support->kind.empty()) return Next();
  type.kind = support->kind;
  type.cluster_scoped = !support->namespaced;
  resource_.type = std::move(type);
  Post(Resolved{resource_});
}

void ResourceSearch::Fail(ApiFailure failure) {
  Post(ResolveFailed{resource_, std::move(failure)});
}

void ResourceSearch::Post(Input answer) { queue_->Push(std::move(answer)); }

void ResourceSearch::Get(std::string path, void (ResourceSearch::*take)(const kube::ApiResponse&)) {
  client_->Send({.method = "GET", .path = std::move(path), .content_type = "", .body = ""},
                [self = shared_from_this(), take](const kube::ApiResponse& response) {
                  (self.get()->*take)(response);
                });
}

}  // namespace xebec::watcher
