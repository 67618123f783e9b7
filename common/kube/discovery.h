// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace xebec::kube {

/// The API server's description of one resource of a group and version.
struct ResourceSupport {
  bool served = false;
  bool namespaced = false;
  bool status_subresource = false;
  bool scale_subresource = false;
  std::string kind;  ///< Empty when not served.

  bool operator==(const ResourceSupport&) const = default;
};

/// Finds `plural` in an APIResourceList, the response to a GET of DiscoveryPath. Returns
/// INVALID_ARGUMENT if `body` is not an APIResourceList, or does not say whether the resource is
/// namespaced: then nobody knows where its objects are.
absl::StatusOr<ResourceSupport> DecodeDiscovery(std::string_view body, std::string_view plural);

/// Returns the versions in an APIGroup, the response to a GET of "/apis/apps", in the API server's
/// order. Returns INVALID_ARGUMENT if `body` is not an APIGroup.
absl::StatusOr<std::vector<std::string>> DecodeGroup(std::string_view body);

}  // namespace xebec::kube
