// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace xebec::kube {

/// What an API server says of one resource of a group and version.
struct ResourceSupport {
  bool served = false;
  bool namespaced = false;
  bool status_subresource = false;
  bool scale_subresource = false;
  std::string kind;  ///< Empty when not served.

  bool operator==(const ResourceSupport&) const = default;
};

/// Looks `plural` up in an APIResourceList, the answer to a GET of DiscoveryPath. INVALID_ARGUMENT
/// for anything else.
absl::StatusOr<ResourceSupport> DecodeDiscovery(std::string_view body, std::string_view plural);

}  // namespace xebec::kube
