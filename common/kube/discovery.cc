// SPDX-License-Identifier: Apache-2.0
#include "common/kube/discovery.h"

#include <optional>

#include "common/base/json.h"
#include "common/base/status.h"

namespace xebec::kube {
namespace {

absl::Status Take(const Json& resource, std::string_view plural, ResourceSupport* support) {
  const std::string name = FindString(resource, {"name"});
  if (name.compare(0, plural.size(), plural) != 0) return absl::OkStatus();
  const std::string rest = name.substr(plural.size());
  if (rest == "/status") support->status_subresource = true;
  if (rest == "/scale") support->scale_subresource = true;
  if (!rest.empty()) return absl::OkStatus();
  const std::optional<bool> namespaced = FindBool(resource, {"namespaced"});
  if (!namespaced) {
    return absl::InvalidArgumentError("discovery: the answer does not say whether " + name +
                                      " is namespaced");
  }
  support->served = true;
  support->namespaced = *namespaced;
  support->kind = FindString(resource, {"kind"});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResourceSupport> DecodeDiscovery(std::string_view body, std::string_view plural) {
  const auto list = ParseJson(body);
  if (!list.ok()) return list.status();
  const Json* resources = Find(*list, {"resources"});
  if (FindString(*list, {"kind"}) != "APIResourceList" || resources == nullptr ||
      !(resources->is_array() || resources->is_null())) {
    return absl::InvalidArgumentError("discovery: the answer is not an APIResourceList");
  }
  ResourceSupport support;
  for (const Json& resource : *resources) {
    XEBEC_RETURN_IF_ERROR(Take(resource, plural, &support));
  }
  return support;
}

absl::StatusOr<std::vector<std::string>> DecodeGroup(std::string_view body) {
  const auto group = ParseJson(body);
  if (!group.ok()) return group.status();
  const Json* versions = Find(*group, {"versions"});
  if (FindString(*group, {"kind"}) != "APIGroup" || versions == nullptr || !versions->is_array()) {
    return absl::InvalidArgumentError("discovery: the answer is not an APIGroup");
  }
  std::vector<std::string> names;
  for (const Json& each : *versions) names.push_back(FindString(each, {"version"}));
  return names;
}

}  // namespace xebec::kube
