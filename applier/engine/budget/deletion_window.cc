// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/deletion_window.h"

#include <algorithm>

namespace xebec::applier {

void DeletionWindow::Expire(absl::Duration now) {
  while (!entries_.empty() && entries_.front().at + interval_ <= now) {
    used_ -= entries_.front().count;
    entries_.pop_front();
  }
}

std::optional<DeletionWindow::Reservation> DeletionWindow::Reserve(size_t count,
                                                                   absl::Duration now) {
  Expire(now);
  if (count > limit_ - std::min(limit_, used_)) return std::nullopt;
  ++last_;
  if (count == 0) return last_;
  used_ += count;
  entries_.push_back({last_, now, count});
  return last_;
}

void DeletionWindow::Return(Reservation reservation, size_t count) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.reservation == reservation; });
  if (entry == entries_.end()) return;
  const size_t part = std::min(count, entry->count);
  entry->count -= part;
  used_ -= part;
}

size_t DeletionWindow::used(absl::Duration now) {
  Expire(now);
  return used_;
}

}  // namespace xebec::applier
