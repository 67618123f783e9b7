// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/hash/hash.h"
#include "watcher/engine/slots/slab.h"

namespace xebec::watcher {

/// An index of the slots of a Slab by a property that few values share. It stores a short hash and
/// the slot of each value, and the caller compares the values. Hashes differ between processes, but
/// the results do not depend on them. A value.
///
/// This is a linear hash table: it grows and shrinks by one line at a time, so that no call takes
/// long. A line has the size of a cache line, and a search usually reads only one.
class SlotIndex {
 public:
  template <typename... Parts>
  static size_t HashOf(const Parts&... parts) {
    return absl::HashOf(parts...);
  }

  void Add(size_t hash, Slot slot);
  /// Removes an entry that was added with the same hash and slot.
  void Remove(size_t hash, Slot slot);

  /// Returns the lowest slot that was added with `hash` and for which same(slot) is true.
  template <typename Same>
  std::optional<Slot> Find(size_t hash, const Same& same) const {
    if (lines_ == 0) return std::nullopt;
    const uint64_t first = Entry(hash, 0);
    const uint64_t last = Entry(hash, kNoSlot - 1);
    for (const uint64_t entry : at(LineOf(first))) {
      if (entry > last) return std::nullopt;
      if (entry >= first && same(static_cast<Slot>(entry))) return static_cast<Slot>(entry);
    }
    for (auto it = more_.lower_bound(first); it != more_.end() && *it <= last; ++it) {
      if (same(static_cast<Slot>(*it))) return static_cast<Slot>(*it);
    }
    return std::nullopt;
  }
  /// Makes the CPU load what a search for `hash` reads first.
  void Prefetch(size_t hash) const {
    if (lines_ > 0) __builtin_prefetch(&at(LineOf(Entry(hash, 0))));
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
  /// Entries in ascending order, then kEmpty. The greater entries of a full line may be in more_.
  using Line = std::array<uint64_t, 8>;
  static constexpr uint64_t kEmpty = UINT64_MAX;
  static constexpr size_t kChunk = 256;  // lines

  /// The hash, then the slot.
  static uint64_t Entry(size_t hash, Slot slot) {
    return uint64_t{hash ^ (hash >> 32)} << 32 | slot;
  }
  static uint32_t ReverseBits(uint32_t bits);
  static size_t LinesFor(size_t size) { return size == 0 ? 0 : 1 + size / 5; }

  /// Returns the greatest power of 2 that is not above `number`, which is not 0.
  static size_t PowerUpTo(size_t number) { return std::bit_ceil(number / 2 + 1); }

  Line& at(size_t line) { return chunks_[line / kChunk][line % kChunk]; }
  const Line& at(size_t line) const { return chunks_[line / kChunk][line % kChunk]; }
  /// The hashes of a line have the same first bits, so its entries are a range.
  size_t LineOf(uint64_t entry) const {
    const size_t half = PowerUpTo(lines_);
    const size_t number = ReverseBits(static_cast<uint32_t>(entry >> 32));
    const size_t line = number & (2 * half - 1);
    return line < lines_ ? line : line - half;
  }
  uint64_t LastOf(size_t line) const;
  void Insert(uint64_t entry);
  void Refill(size_t line);
  void Split();
  void Join();

  std::vector<std::vector<Line>> chunks_;
  absl::btree_set<uint64_t> more_;  // what full lines have no room for
  size_t lines_ = 0;
  size_t size_ = 0;
};

inline uint32_t SlotIndex::ReverseBits(uint32_t bits) {
  bits = __builtin_bswap32(bits);
  bits = (bits >> 4 & 0x0f0f0f0f) | (bits & 0x0f0f0f0f) << 4;
  bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
  return (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
}

}  // namespace xebec::watcher
