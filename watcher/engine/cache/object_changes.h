// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "watcher/engine/cache/cached_controllers.h"
#include "watcher/engine/cache/changes.h"
#include "watcher/engine/cache/watches/watch_pool.h"

namespace xebec::watcher {

/// Adds to `changes` what `change`, one of the changes of `touched`, means to the controllers.
void AddChanges(const Touched& touched, const StoreChange& change,
                const CachedControllers& controllers, const WatchPool& watches,
                std::vector<Changed>* changes);

/// Returns true if the object may have the finalizer: its JSON contains the name as a string.
bool Mentions(const StoredObject& object, const std::string& finalizer);

/// The watches of resources that could not be read. A resource that can be read again may have the
/// objects that it had before, so that no change of it wakes the keys that were planned without it
/// meanwhile. A value.
class UnavailableWatches {
 public:
  /// A watch was touched. Adds changes for its controllers if it can be read again.
  void Notice(WatchId watch, const CachedControllers& controllers, const WatchPool& watches,
              std::vector<Changed>* changes);

  bool operator==(const UnavailableWatches&) const = default;

 private:
  std::set<WatchId> unavailable_;  // at some time since they were last ready
};

}  // namespace xebec::watcher
