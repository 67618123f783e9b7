// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>

namespace xebec {

/// A Kubernetes resource: everything that is needed to name a kind and to build its URL.
struct ResourceType {
  std::string group;    ///< API group. Empty for the core group.
  std::string version;  ///< Version within the group. Never empty.
  std::string kind;     ///< Kind in CamelCase. Never empty.
  std::string plural;   ///< Lower-case plural in URLs. Never empty between the services.
  bool cluster_scoped = false;

  auto operator<=>(const ResourceType&) const = default;
};

/// Names one object. The reference does not select an incarnation of the object; a uid does.
struct ObjectRef {
  ResourceType type;
  std::string ns;  ///< Empty for cluster-scoped kinds.
  std::string name;

  auto operator<=>(const ObjectRef&) const = default;
};

/// Returns the apiVersion of a manifest: "v1" for the core group, otherwise "group/version".
std::string ApiVersion(const ResourceType& type);

/// Returns "Deployment default/web" for messages, without the namespace if `ref` has none.
std::string Describe(const ObjectRef& ref);

/// Returns the plural and the group, "deployments.apps": the name of a resource in RBAC rules and
/// in the configuration. Uses the lower-case kind if `type` has no plural.
std::string ResourceName(const ResourceType& type);

}  // namespace xebec
