// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/removals.h"

#include <optional>

#include "common/kube/resource_version.h"

namespace xebec::watcher {

void Removals::Note(const kube::ObjectHeader& header) {
  versions_[header.uid] = header.resource_version;
}

bool Removals::Contain(const kube::ObjectHeader& header) const {
  if (versions_.empty()) return false;
  const auto removed = versions_.find(header.uid);
  if (removed == versions_.end()) return false;
  const auto order = kube::CompareVersions(header.resource_version, removed->second);
  return order.has_value() && *order < 0;
}

void EraseRemoved(const kube::ObjectHeader& header, ObjectTable* objects) {
  const std::optional<Slot> slot = objects->Find({header.ns, header.name});
  if (!slot || objects->at(*slot).uid != header.uid) return;
  const auto order =
      kube::CompareVersions(objects->at(*slot).resource_version, header.resource_version);
  if (!order.has_value() || *order < 0) objects->Remove(*slot);
}

}  // namespace xebec::watcher
