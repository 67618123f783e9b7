// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/kube/watch_event.h"
#include "common/model/resource.h"

namespace xebec::watcher {

/// What is watched.
struct ResourceSpec {
  ResourceType type;
  std::string ns;  ///< Empty: all namespaces.
  std::string label_selector;
  kube::Projection projection;
};
bool operator==(const ResourceSpec& a, const ResourceSpec& b);
/// For users: "pods", "pods in namespace team-a".
std::string Describe(const ResourceSpec& spec);

/// True when a cache of `wide` holds every object and every field that one of `narrow` would. Both
/// are of the same resource.
bool Covers(const ResourceSpec& wide, const ResourceSpec& narrow);

}  // namespace xebec::watcher
