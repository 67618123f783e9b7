// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/parked_keys.h"

#include <algorithm>
#include <iterator>

namespace xebec::watcher {

void ParkedKeys::Add(const Key& parked) {
  Priority& its = keys_[parked.key];  // the lowest one, if the key is new
  its = std::max(its, parked.priority);
}

std::vector<ParkedKeys::Key> ParkedKeys::TakeSome(size_t limit,
                                                  absl::FunctionRef<bool(KeyId)> may_start) {
  std::vector<Key> taken;
  if (!next_) return taken;
  auto next = keys_.lower_bound(*next_);
  for (size_t i = 0; i < limit && next != keys_.end(); ++i) {
    const bool starts = may_start(next->first);
    if (starts) taken.push_back({next->first, next->second});
    next = starts ? keys_.erase(next) : std::next(next);
  }
  next_ = next == keys_.end() ? std::nullopt : std::optional(next->first);
  return taken;
}

}  // namespace xebec::watcher
