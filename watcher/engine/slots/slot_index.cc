// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/slots/slot_index.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {
namespace {

template <typename Line>
constexpr Line Filled(uint64_t value) {
  Line line = {};
  line.fill(value);
  return line;
}

}  // namespace

void SlotIndex::Add(size_t hash, Slot slot) {
  if (LinesFor(++size_) > lines_) Split();
  Insert(Entry(hash, slot));
}

void SlotIndex::Remove(size_t hash, Slot slot) {
  const uint64_t entry = Entry(hash, slot);
  const size_t number = LineOf(entry);
  Line& line = at(number);
  const auto found = std::find(line.begin(), line.end(), entry);
  if (found == line.end()) {
    more_.erase(entry);
  } else {
    std::copy(found + 1, line.end(), found);
    line.back() = kEmpty;
    Refill(number);
  }
  if (LinesFor(--size_) < lines_) Join();
}

// Returns the greatest entry that the line can have.
uint64_t SlotIndex::LastOf(size_t line) const {
  const size_t half = PowerUpTo(lines_);
  const bool split = line >= half || line + half < lines_;
  const int bits = std::bit_width(half) - 1 + (split ? 1 : 0);
  const uint64_t others = bits == 0 ? UINT64_MAX : UINT64_MAX >> bits;
  return uint64_t{ReverseBits(static_cast<uint32_t>(line))} << 32 | others;
}

// The least entries of a line are in the line.
void SlotIndex::Insert(uint64_t entry) {
  Line& line = at(LineOf(entry));
  const auto place = std::lower_bound(line.begin(), line.end(), entry);
  uint64_t greatest = entry;
  if (place != line.end()) {
    greatest = line.back();
    std::copy_backward(place, line.end() - 1, line.end());
    *place = entry;
  }
  if (greatest != kEmpty) more_.insert(greatest);
}

void SlotIndex::Refill(size_t line) {
  Line& entries = at(line);
  const uint64_t last = LastOf(line);
  auto next = more_.lower_bound(uint64_t{ReverseBits(static_cast<uint32_t>(line))} << 32);
  auto place = std::find(entries.begin(), entries.end(), kEmpty);
  while (place != entries.end() && next != more_.end() && *next <= last) {
    *place++ = *next;
    next = more_.erase(next);
  }
}

void SlotIndex::Split() {
  if (lines_ % kChunk == 0) chunks_.emplace_back();
  chunks_.back().push_back(Filled<Line>(kEmpty));
  const size_t added = lines_++;
  if (added == 0) return;
  const size_t source = added - PowerUpTo(added);
  for (const uint64_t entry : std::exchange(at(source), Filled<Line>(kEmpty))) {
    if (entry != kEmpty) Insert(entry);
  }
  Refill(source);
  Refill(added);
}

void SlotIndex::Join() {
  const Line last = at(--lines_);
  chunks_.back().pop_back();
  if (chunks_.back().empty()) chunks_.pop_back();
  for (const uint64_t entry : last) {
    if (entry != kEmpty) Insert(entry);
  }
}

}  // namespace xebec::watcher
