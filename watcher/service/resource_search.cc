// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/resource_search.h"

#include "absl/strings/str_cat.h"
#include "watcher/service/api_failure.h"

namespace xebec::watcher {
namespace {

constexpr int kGone = 404;

}  // namespace

std::optional<ResourceType> TypeOf(const DeclaredResource& resource,
                                   const kube::ResourceSupport& support) {
  if (!support.served || support.kind.empty()) return std::nullopt;
  return ResourceType{resource.group, resource.version, support.kind, resource.plural,
                      !support.namespaced};
}

void ResourceSearch::Start() {
  Get(absl::StrCat("/apis/", resource_.group), &ResourceSearch::OnGroup);
}

void ResourceSearch::OnGroup(const kube::ApiResponse& response) {
  if (response.status == kGone) return Post(Resolved{resource_});
  if (!Ok(response)) return Fail(FailureOf(response));
  auto versions = kube::DecodeGroup(response.body);
  if (!versions.ok()) return Fail(Unreadable(versions.status()));
  versions_ = *std::move(versions);
  Next();
}

void ResourceSearch::Next() {
  if (next_ == versions_.size()) return Post(Resolved{resource_});
  Get(absl::StrCat("/apis/", resource_.group, "/", versions_[next_]), &ResourceSearch::OnVersion);
}

// A version that has gone since the group was read is skipped.
void ResourceSearch::OnVersion(const kube::ApiResponse& response) {
  DeclaredResource found = resource_;
  found.version = versions_[next_++];
  if (response.status == kGone) return Next();
  if (!Ok(response)) return Fail(FailureOf(response));
  const auto support = kube::DecodeDiscovery(response.body, resource_.plural);
  if (!support.ok()) return Fail(Unreadable(support.status()));
  resource_.type = TypeOf(found, *support);
  if (!resource_.type) return Next();
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
