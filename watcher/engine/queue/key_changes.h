// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/queue/wanted_names.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// What a change in the caches means to one key.
struct KeyChange {
  KeyId key = 0;
  std::string reason;  ///< The key must be planned again; empty: no need.
  Priority priority = Priority::kController;
  bool urgent = false;           ///< WorkQueue::Add.
  bool check_gate = false;       ///< Its cache-sync gate may be open now.
  bool new_incarnation = false;  ///< The parent was deleted and created again.
  bool user_change = false;      ///< A user changed the parent.
  bool child_changed = false;    ///< A child was added or changed.
  bool gone = false;             ///< The parent is not there any more.
  std::string parent_version;    ///< Another client wrote the parent; empty: none.
};

/// The keys that `change` concerns, in order. Adds keys for new parents to `keys`.
std::vector<KeyChange> MapToKeys(const Changed& change, const CacheSet& cache,
                                 const WantedNames& wanted, KeyTable* keys);

/// The keys of a controller after its parents, or the resources that it watches, have changed: keys
/// whose parents are not cached any more are gone, parents without a key get one.
std::vector<KeyChange> MatchKeys(const CacheSet& cache, ControllerId controller, KeyTable* keys);

}  // namespace xebec::watcher
