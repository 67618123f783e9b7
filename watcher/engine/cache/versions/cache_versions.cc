// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/versions/cache_versions.h"

#include <utility>

#include "watcher/engine/cache/versions/cursor.h"

namespace xebec::watcher {

void CacheVersions::OnEvent(const std::string& version, bool bookmark) {
  cursor_ = version;
  if (!bookmark) changed_ = version;
  if (seen_before_.empty()) parts_.Reach(cursor_);
}

// The parts count until the list is taken over.
void CacheVersions::AdoptList(const std::string& version) {
  if (!parts_.empty() && seen_before_.empty()) seen_before_ = cursor_;
  cursor_ = changed_ = version;
}

void CacheVersions::OnListed() {
  parts_.Clear();
  seen_before_.clear();
}

void CacheVersions::AdoptPart(const kube::BucketFilter& held, const kube::BucketFilter& gained,
                              const std::string& version) {
  if (GoesBack(version, cursor_)) parts_.Add(held, std::exchange(cursor_, version));
  parts_.Add(gained, version);
  parts_.Reach(cursor_);
}

const std::string& CacheVersions::Seen(const std::string& watermark) const {
  if (parts_.empty()) return watermark;
  return seen_before_.empty() ? cursor_ : seen_before_;
}

}  // namespace xebec::watcher
