// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/wanted_names.h"

namespace xebec::watcher {

void WantedNames::Set(KeyId key, const std::vector<Name>& names) {
  if (const auto old = by_key_.find(key); old != by_key_.end()) {
    for (const Name& name : old->second) {
      const auto waiting = by_name_.find(name);
      waiting->second.erase(key);
      if (waiting->second.empty()) by_name_.erase(waiting);
    }
    by_key_.erase(old);
  }
  absl::btree_set<Name> unique(names.begin(), names.end());
  for (const Name& name : unique) by_name_[name].insert(key);
  if (!unique.empty()) by_key_[key].assign(unique.begin(), unique.end());
}

std::vector<KeyId> WantedNames::Waiting(WatchId watch, const ObjectKey& name) const {
  const auto found = by_name_.find({watch, name});
  if (found == by_name_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<KeyId> WantedNames::WaitingFor(WatchId watch) const {
  absl::btree_set<KeyId> keys;
  for (auto it = by_name_.lower_bound({watch, {}}); it != by_name_.end(); ++it) {
    if (it->first.first != watch) break;
    keys.insert(it->second.begin(), it->second.end());
  }
  return {keys.begin(), keys.end()};
}

}  // namespace xebec::watcher
