// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>

namespace xebec {

/// A Kubernetes resource: what is needed to name a kind and to build its URL.
struct ResourceType {
  std::string group;    ///< API group; empty for the core group.
  std::string version;  ///< Version within the group, never empty.
  std::string kind;     ///< CamelCase singular, never empty.
  std::string plural;   ///< Lower-case plural as in URLs, never empty between the services.
  bool cluster_scoped = false;

  auto operator<=>(const ResourceType&) const = default;
};

/// Names one object; which incarnation is meant is the uid's part.
struct ObjectRef {
  ResourceType type;
  std::string ns;  ///< Empty for cluster-scoped kinds.
  std::string name;

  auto operator<=>(const ObjectRef&) const = default;
};

/// "v1" for the core group, else "group/version": the apiVersion of a manifest.
std::string ApiVersion(const ResourceType& type);

/// "Deployment default/web" for messages; the namespace is left out where there is none.
std::string Describe(const ObjectRef& ref);

/// "deployments.apps": plural and group, the name of a resource in RBAC and configuration. The
/// lower-case kind stands in for a missing plural.
std::string ResourceName(const ResourceType& type);

}  // namespace xebec
