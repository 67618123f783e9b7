// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/deletion_window.h"

#include <algorithm>

namespace xebec::applier {

void DeletionWindow::Expire(absl::Duration now) {
  while (!entries_.empty() && entries_.front().at + interval_ <= now) {
    used_ -= entries_.front().count;
    entries_.pop_front();
  }
}

bool DeletionWindow::Reserve(size_t count, absl::Duration now) {
  Expire(now);
  if (count > limit_ - std::min(limit_, used_)) return false;
  if (count == 0) return true;
  used_ += count;
  entries_.push_back({now, count});
  return true;
}

void DeletionWindow::Return(size_t count) {
  while (count > 0 && !entries_.empty()) {
    Entry& last = entries_.back();
    const size_t part = std::min(count, last.count);
    last.count -= part;
    used_ -= part;
    count -= part;
    if (last.count == 0) entries_.pop_back();
  }
}

size_t DeletionWindow::used(absl::Duration now) {
  Expire(now);
  return used_;
}

}  // namespace xebec::applier
