// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/btree_set.h"
#include "watcher/engine/slots/slab.h"

namespace xebec::watcher {

/// An index of the slots of a Slab by a property that many values share. It stores a short hash and
/// the slot of each value, and the caller compares the values. A value.
class GroupIndex {
 public:
  void Add(size_t hash, Slot slot) { entries_.insert(Entry(hash, slot)); }
  /// Removes an entry that was added with the same hash and slot.
  void Remove(size_t hash, Slot slot) { entries_.erase(Entry(hash, slot)); }

  /// Calls visit(slot) for every slot that was added with `hash`, in ascending order. Values that
  /// the caller does not look for may have the same hash.
  template <typename Visit>
  void ForEach(size_t hash, const Visit& visit) const {
    const uint64_t last = Entry(hash, kNoSlot);
    for (auto it = entries_.lower_bound(Entry(hash, 0)); it != entries_.end(); ++it) {
      if (*it > last) return;
      visit(static_cast<Slot>(*it));
    }
  }

  bool operator==(const GroupIndex&) const = default;

 private:
  static uint64_t Entry(size_t hash, Slot slot) {
    return uint64_t{hash ^ (hash >> 32)} << 32 | slot;
  }

  absl::btree_set<uint64_t> entries_;
};

}  // namespace xebec::watcher
