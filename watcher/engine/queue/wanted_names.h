// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/cache/watches/watch_set.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// The names that keys wait for because other objects hold them, by watched resource. A value.
class WantedNames {
 public:
  using Name = std::pair<WatchId, ObjectKey>;

  /// Replaces the names that `key` waits for.
  void Set(KeyId key, const std::vector<Name>& names);
  /// Returns the keys that wait for the name, in order.
  std::vector<KeyId> Waiting(WatchId watch, const ObjectKey& name) const;
  /// Returns the keys that wait for any name of the resource, in order.
  std::vector<KeyId> WaitingFor(WatchId watch) const;

  bool operator==(const WantedNames&) const = default;

 private:
  std::map<Name, absl::btree_set<KeyId>> by_name_;
  std::map<KeyId, std::vector<Name>> by_key_;
};

}  // namespace xebec::watcher
