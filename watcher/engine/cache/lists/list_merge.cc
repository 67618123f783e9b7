// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/lists/list_merge.h"

#include <optional>

namespace xebec::watcher {

bool ListMerge::Step(uint32_t limit, absl::Duration now, const Scope& scope, ObjectStore* store,
                     StoreChanges* changes) {
  due_ = now;
  if (!sweeps_) {
    const size_t news = list_.news.size();
    const std::optional<Slot> next = store->Merge(&list_.news, next_, limit, scope.keep, changes);
    sweeps_ = !next;
    next_ = next.value_or(0);
    if (list_.part) return !next;
    if (next || news * 2 > limit) return false;
  }
  // Looking at an object costs less than taking one over.
  const std::optional<Slot> next =
      store->Sweep(next_, size_t{4} * limit, list_.version, scope.shown, changes);
  next_ = next.value_or(0);
  return !next;
}

}  // namespace xebec::watcher
