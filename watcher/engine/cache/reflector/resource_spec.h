// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/kube/watch_event.h"
#include "common/model/resource.h"

namespace xebec::watcher {

/// A watched resource.
struct ResourceSpec {
  ResourceType type;
  std::string ns;  ///< Empty means all namespaces.
  std::string label_selector;
  kube::Projection projection;
};
bool operator==(const ResourceSpec& a, const ResourceSpec& b);
/// Returns text for users: "pods", "pods in namespace team-a".
std::string Describe(const ResourceSpec& spec);
/// Returns the key of the resource in SeenVersions: "apps/v1/deployments", or
/// "apps/v1/deployments NAMESPACE". Watchers of other versions read it.
std::string StatementKey(const ResourceSpec& spec);

/// Returns true if a cache of `wide` contains every object and field that a cache of `narrow`
/// contains. Both must be of the same resource.
bool Covers(const ResourceSpec& wide, const ResourceSpec& narrow);
/// The same as far as buckets do not matter: for the parents of one bucket.
bool CoversInBucket(const ResourceSpec& wide, const ResourceSpec& narrow);

}  // namespace xebec::watcher
