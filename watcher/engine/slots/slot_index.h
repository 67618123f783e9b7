// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/btree_set.h"
#include "absl/hash/hash.h"
#include "watcher/engine/slots/slab.h"

namespace xebec::watcher {

/// An index of the slots of a Slab by a property of their values. It stores a short hash and the
/// slot of each value, and the caller compares the values. A search reads few values besides the
/// ones that it finds. The index grows in small steps. Hashes differ between processes, but the
/// results do not depend on them.
class SlotIndex {
 public:
  template <typename... Parts>
  static size_t HashOf(const Parts&... parts) {
    return absl::HashOf(parts...);
  }

  void Add(size_t hash, Slot slot) { entries_.insert(Entry(hash, slot)); }
  /// Removes an entry that was added with the same hash and slot.
  void Remove(size_t hash, Slot slot) { entries_.erase(Entry(hash, slot)); }

  /// Returns the lowest slot that was added with `hash` and for which same(slot) is true.
  template <typename Same>
  std::optional<Slot> Find(size_t hash, const Same& same) const {
    const uint64_t first = Entry(hash, 0);
    for (auto it = entries_.lower_bound(first); it != entries_.end(); ++it) {
      if (*it >> kSlotBits != first >> kSlotBits) break;
      if (same(static_cast<Slot>(*it))) return static_cast<Slot>(*it);
    }
    return std::nullopt;
  }
  /// Calls visit(slot) for every slot that was added with `hash`, in ascending order. Values that
  /// the caller does not look for may have the same hash.
  template <typename Visit>
  void ForEach(size_t hash, const Visit& visit) const {
    Find(hash, [&visit](Slot slot) {
      visit(slot);
      return false;
    });
  }

  bool operator==(const SlotIndex&) const = default;

 private:
  static constexpr int kSlotBits = 32;

  static uint64_t Entry(size_t hash, Slot slot) {
    return uint64_t{hash ^ (hash >> kSlotBits)} << kSlotBits | slot;
  }

  absl::btree_set<uint64_t> entries_;
};

}  // namespace xebec::watcher
