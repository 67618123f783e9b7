// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watcher/engine/cache/store/object_table.h"
#include "watcher/engine/cache/watches/watch_pool.h"
#include "watcher/engine/cache/watches/watch_set.h"

namespace xebec::watcher {

/// Searches the cached parents of one controller for a finalizer, in steps of bounded size. The
/// search remembers what it has seen: it examines each parent once, and once more after each change
/// of the parent. A value.
class FinalizerSearch {
 public:
  enum class Result {
    kFound,    ///< A cached parent has the finalizer.
    kNone,     ///< No cached parent has the finalizer.
    kUnknown,  ///< Parents remain to be examined.
  };

  /// A parent was added or changed. The caller reports every such parent since the first call of
  /// Continue.
  void OnParent(const ObjectKey& name) { suspects_.insert(name); }
  /// Examines up to `limit` more parents, and those that have changed until one has the finalizer.
  /// Starts over if the parents are watched or listed otherwise than before.
  Result Continue(const WatchSet& parents, const WatchPool& watches, const std::string& finalizer,
                  size_t limit);

  bool operator==(const FinalizerSearch&) const = default;

 private:
  struct Basis {
    std::string finalizer;
    std::vector<std::pair<WatchId, uint64_t>> lists;  // of each watch, the list that it rests on
    bool operator==(const Basis&) const = default;
  };

  bool AnySuspectHas(const WatchSet& parents, const WatchPool& watches);
  Result Advance(const WatchPool& watches, size_t limit);

  Basis basis_;
  std::set<ObjectKey> suspects_;  // may have the finalizer
  size_t watch_ = 0;              // of basis_.lists; the search has come to here
  Slot next_ = 0;                 // of the watch's store
};

}  // namespace xebec::watcher
