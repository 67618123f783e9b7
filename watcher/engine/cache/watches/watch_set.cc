// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/watches/watch_set.h"

namespace xebec::watcher {

const WatchId* WatchSet::Find(const std::string& ns) const {
  if (watches_.empty()) return nullptr;
  const auto& [first, watch] = *watches_.begin();
  if (first.empty()) return &watch;
  const auto found = watches_.find(ns);
  return found == watches_.end() ? nullptr : &found->second;
}

std::vector<WatchId> WatchSet::Seeing(const std::string& ns) const {
  std::vector<WatchId> seeing;
  if (!ns.empty()) {
    if (const WatchId* watch = Find(ns)) seeing.push_back(*watch);
    return seeing;
  }
  for (const auto& [name, watch] : watches_) seeing.push_back(watch);
  return seeing;
}

}  // namespace xebec::watcher
