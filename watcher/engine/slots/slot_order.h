// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "watcher/engine/slots/slab.h"

namespace xebec::watcher {

/// The slots of a Slab in the order of their values, which the caller compares: before(slot) is
/// true if the value of the slot precedes the one that is meant. No two values are equal. A slot
/// needs less than 10 bytes, and a call costs about log2(n) comparisons. A value.
class SlotOrder {
 public:
  /// Adds the slot of the value that is meant. Its order must not contain that value.
  template <typename Before>
  void Add(Slot slot, const Before& before) {
    if (chunks_.empty()) chunks_.emplace_back();
    Place at = Find(before);
    if (at.chunk == chunks_.size()) at = {at.chunk - 1, chunks_.back().size()};
    std::vector<Slot>& chunk = chunks_[at.chunk];
    chunk.insert(chunk.begin() + static_cast<ptrdiff_t>(at.index), slot);
    if (chunk.size() > kChunk) Split(at.chunk);
  }

  /// Removes the slot of the value that is meant, which must be there.
  template <typename Before>
  void Remove(const Before& before) {
    const Place at = Find(before);
    std::vector<Slot>& chunk = chunks_[at.chunk];
    chunk.erase(chunk.begin() + static_cast<ptrdiff_t>(at.index));
    Join(at.chunk);
  }

  /// Returns the slots from the value that is meant by `before_first` up to the one that is meant
  /// by `before_end`, without that one; at most `limit`. These values may be missing.
  template <typename Before, typename BeforeEnd>
  std::vector<Slot> Range(const Before& before_first, const BeforeEnd& before_end,
                          size_t limit) const {
    std::vector<Slot> slots;
    const Place end = Find(before_end);
    for (Place at = Find(before_first); at.chunk < chunks_.size(); at = {at.chunk + 1, 0}) {
      if (at.chunk > end.chunk || slots.size() == limit) break;
      const std::vector<Slot>& chunk = chunks_[at.chunk];
      const size_t last = at.chunk == end.chunk ? end.index : chunk.size();
      if (at.index >= last) continue;
      const size_t count = std::min(last - at.index, limit - slots.size());
      const auto first = chunk.begin() + static_cast<ptrdiff_t>(at.index);
      slots.insert(slots.end(), first, first + static_cast<ptrdiff_t>(count));
    }
    return slots;
  }

  bool operator==(const SlotOrder&) const = default;

 private:
  static constexpr size_t kChunk = 128;

  struct Place {
    size_t chunk;  // of chunks_; their number for the end
    size_t index;
  };

  /// The place of the first slot that is not before.
  template <typename Before>
  Place Find(const Before& before) const {
    const auto chunk = std::partition_point(
        chunks_.begin(), chunks_.end(),
        [&](const std::vector<Slot>& each) { return !each.empty() && before(each.back()); });
    if (chunk == chunks_.end()) return {chunks_.size(), 0};
    const auto slot = std::partition_point(chunk->begin(), chunk->end(), before);
    return {static_cast<size_t>(chunk - chunks_.begin()),
            static_cast<size_t>(slot - chunk->begin())};
  }
  /// Moves half of the chunk to a new one behind it.
  void Split(size_t chunk);
  /// Merges the chunk with a neighbor if both are small or one is empty.
  void Join(size_t chunk);

  std::vector<std::vector<Slot>> chunks_;  // none is empty, unless it is the only one
};

}  // namespace xebec::watcher
