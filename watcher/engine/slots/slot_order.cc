// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/slots/slot_order.h"

namespace xebec::watcher {

void SlotOrder::Split(size_t chunk) {
  std::vector<Slot>& low = chunks_[chunk];
  const auto middle = low.begin() + static_cast<ptrdiff_t>(low.size() / 2);
  std::vector<Slot> high(middle, low.end());
  low.erase(middle, low.end());
  low.shrink_to_fit();
  chunks_.insert(chunks_.begin() + static_cast<ptrdiff_t>(chunk) + 1, std::move(high));
}

void SlotOrder::Join(size_t chunk) {
  if (chunks_.size() == 1) return;
  const size_t low = chunk + 1 < chunks_.size() ? chunk : chunk - 1;
  std::vector<Slot>&first = chunks_[low], &second = chunks_[low + 1];
  const bool empty = first.empty() || second.empty();
  if (!empty && first.size() + second.size() > kChunk / 2) return;
  first.insert(first.end(), second.begin(), second.end());
  chunks_.erase(chunks_.begin() + static_cast<ptrdiff_t>(low) + 1);
}

}  // namespace xebec::watcher
