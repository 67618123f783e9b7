// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace xebec::watcher {

/// Up to kSize values, numbered from 0, and memory for little more than those that are there. When
/// it is full, the values move to more memory; when at most seven eighths are used, to less. A
/// value.
template <typename T>
class SlabChunk {
 public:
  static constexpr size_t kSize = 128;

  /// The number of values for which there is memory.
  size_t capacity() const { return values_.size(); }
  bool Has(size_t number) const {
    if (used_ == 0) return false;
    return places_.empty() ? values_[number].has_value() : places_[number] != kNowhere;
  }
  T& at(size_t number) { return *values_[PlaceOf(number)]; }
  const T& at(size_t number) const { return *values_[PlaceOf(number)]; }

  /// Returns the place of a number that has a value. at() reads whether there is one, this does
  /// not.
  const std::optional<T>* AddressOf(size_t number) const { return &values_[PlaceOf(number)]; }

  /// Sets the value of a number that has none.
  void Place(size_t number, T value) {
    if (used_ == values_.size()) Resize(used_ + std::max(kStep, used_ / 2));
    ++used_;
    size_t place = number;
    if (!places_.empty()) {
      const auto free = std::find(values_.begin(), values_.end(), std::nullopt);
      place = static_cast<size_t>(free - values_.begin());
      places_[number] = static_cast<uint8_t>(place);
    }
    values_[place].emplace(std::move(value));
  }

  /// Removes and returns the value of a number that has one.
  T Remove(size_t number) {
    std::optional<T>& place = values_[PlaceOf(number)];
    T value = std::move(*place);
    place.reset();
    if (!places_.empty()) places_[number] = kNowhere;
    --used_;
    if (used_ == 0) {
      *this = SlabChunk();
    } else if (used_ <= values_.size() * 7 / 8) {
      Resize(used_ + used_ / 16);
    }
    return value;
  }

  bool operator==(const SlabChunk&) const = default;

 private:
  static constexpr size_t kStep = 8;
  static constexpr uint8_t kNowhere = UINT8_MAX;

  size_t PlaceOf(size_t number) const { return places_.empty() ? number : places_[number]; }

  /// Moves the values to memory for about `size` of them.
  void Resize(size_t size) {
    size = std::min(kSize, (size + kStep - 1) / kStep * kStep);
    if (size == values_.size()) return;
    std::vector<std::optional<T>> values(size);
    std::vector<uint8_t> places;
    if (size < kSize) places.assign(kSize, kNowhere);
    size_t next = 0;
    for (size_t number = 0; number < kSize; ++number) {
      if (!Has(number)) continue;
      const size_t place = size < kSize ? next++ : number;
      if (size < kSize) places[number] = static_cast<uint8_t>(place);
      values[place] = std::move(values_[PlaceOf(number)]);
    }
    values_ = std::move(values);
    places_ = std::move(places);
  }

  std::vector<std::optional<T>> values_;
  std::vector<uint8_t> places_;  // by number; empty if each has the place of its number
  size_t used_ = 0;
};

}  // namespace xebec::watcher
