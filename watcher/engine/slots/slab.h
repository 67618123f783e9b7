// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "watcher/engine/slots/slab_chunk.h"

namespace xebec::watcher {

/// The number of a value in a Slab.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

/// A container that numbers its values. A value keeps its slot until it is removed. A later value
/// then gets the slot. A reference is valid until the next Add or Remove. The cost of a call does
/// not depend on the number of values, and the memory shrinks as values are removed. Copies of a
/// Slab have the same slots.
template <typename T>
class Slab {
 public:
  Slot Add(T value) {
    if (free_.empty()) return Append(std::move(value));
    const Slot slot = free_.back();
    free_.pop_back();
    Place(slot, std::move(value));
    return slot;
  }

  /// Removes and returns the value of `slot`, which must have one.
  T Remove(Slot slot) {
    free_.push_back(slot);
    --size_;
    return chunks_[slot / kChunk].Remove(slot % kChunk);
  }

  /// Returns the value of `slot`, which must have one.
  T& at(Slot slot) { return chunks_[slot / kChunk].at(slot % kChunk); }
  const T& at(Slot slot) const { return chunks_[slot / kChunk].at(slot % kChunk); }
  /// Makes the CPU load the value of `slot`, which must have one, all of its cache lines at once.
  void Prefetch(Slot slot) const {
    const char* value =
        reinterpret_cast<const char*>(chunks_[slot / kChunk].AddressOf(slot % kChunk));
    for (size_t i = 0; i < sizeof(T); i += kCacheLine) __builtin_prefetch(value + i);
  }
  bool Has(Slot slot) const { return slot < end_ && chunks_[slot / kChunk].Has(slot % kChunk); }
  /// Returns a number that is greater than every slot with a value.
  Slot end() const { return end_; }
  size_t size() const { return size_; }

  bool operator==(const Slab&) const = default;

 private:
  static constexpr Slot kChunk = SlabChunk<T>::kSize;
  static constexpr size_t kCacheLine = 64;

  Slot Append(T value) {
    if (end_ % kChunk == 0) chunks_.emplace_back();
    Place(end_, std::move(value));
    return end_++;
  }

  void Place(Slot slot, T value) {
    chunks_[slot / kChunk].Place(slot % kChunk, std::move(value));
    ++size_;
  }

  std::vector<SlabChunk<T>> chunks_;
  std::vector<Slot> free_;  // the next value gets the last one
  Slot end_ = 0;
  size_t size_ = 0;
};

}  // namespace xebec::watcher
