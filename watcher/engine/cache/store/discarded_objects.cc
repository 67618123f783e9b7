// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/discarded_objects.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {

void DiscardedObjects::Add(ObjectTable objects, size_t limit, absl::Duration now) {
  if (objects.size() <= limit) return;
  tables_.push_back(std::move(objects));
  next_ = 0;
  due_ = now;
}

void DiscardedObjects::Step(size_t limit, absl::Duration now) {
  if (tables_.empty()) return;
  ObjectTable& table = tables_.back();
  const auto end = static_cast<Slot>(std::min<size_t>(next_ + limit, table.end()));
  for (; next_ < end; ++next_) {
    if (table.Has(next_)) table.Remove(next_);
  }
  due_ = now;
  if (!table.empty()) return;
  tables_.pop_back();
  next_ = 0;
  if (tables_.empty()) due_ = absl::InfiniteDuration();
}

}  // namespace xebec::watcher
