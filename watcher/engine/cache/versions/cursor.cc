// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/versions/cursor.h"

#include "common/kube/resource_version.h"

namespace xebec::watcher {

bool GoesBack(const std::string& version, const std::string& cursor) {
  if (cursor.empty()) return version.empty();
  const auto order = kube::CompareVersions(version, cursor);
  if (order.has_value()) return *order < 0;
  // Versions that cannot be compared are a server's right; one among others that can is a defect.
  return version.empty() || kube::IsComparable(cursor);
}

bool Reaches(const std::string& seen, const std::string& version) {
  const auto order = kube::CompareVersions(seen, version);
  return order.has_value() && *order >= 0;
}

}  // namespace xebec::watcher
