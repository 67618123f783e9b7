// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/finalizer_search.h"

#include "watcher/engine/cache/object_changes.h"

namespace xebec::watcher {

FinalizerSearch::Result FinalizerSearch::Continue(const WatchSet& parents, const WatchPool& watches,
                                                  const std::string& finalizer, size_t limit) {
  Basis basis{finalizer, {}};
  for (const auto& [ns, watch] : parents.all()) {
    basis.lists.emplace_back(watch, watches.reflector(watch).cache().lists().taken);
  }
  if (basis != basis_) {
    *this = FinalizerSearch();
    basis_ = std::move(basis);
  }
  return AnySuspectHas(parents, watches) ? Result::kFound : Advance(watches, limit);
}

bool FinalizerSearch::AnySuspectHas(const WatchSet& parents, const WatchPool& watches) {
  while (!suspects_.empty()) {
    const ObjectKey& name = *suspects_.begin();
    const WatchId* watch = parents.Find(name.ns);
    const StoredObject* parent = watch == nullptr ? nullptr : watches.store(*watch).Find(name);
    if (parent != nullptr && Mentions(*parent, basis_.finalizer)) return true;
    suspects_.erase(suspects_.begin());
  }
  return false;
}

// A parent that is found becomes a suspect: it is examined first from then on.
FinalizerSearch::Result FinalizerSearch::Advance(const WatchPool& watches, size_t limit) {
  for (; watch_ < basis_.lists.size(); ++watch_, next_ = 0) {
    const ObjectTable& parents = watches.store(basis_.lists[watch_].first).objects();
    for (; next_ < parents.end(); ++next_) {
      if (limit-- == 0) return Result::kUnknown;
      if (!parents.Has(next_) || !Mentions(parents.at(next_), basis_.finalizer)) continue;
      suspects_.insert(parents.KeyOf(next_++));
      return Result::kFound;
    }
  }
  return Result::kNone;
}

}  // namespace xebec::watcher
