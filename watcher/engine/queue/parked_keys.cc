// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/parked_keys.h"

#include <iterator>

namespace xebec::watcher {

std::vector<KeyId> ParkedKeys::TakeSome(size_t limit, absl::FunctionRef<bool(KeyId)> may_start) {
  std::vector<KeyId> taken;
  if (!next_) return taken;
  auto next = keys_.lower_bound(*next_);
  for (size_t i = 0; i < limit && next != keys_.end(); ++i) {
    const bool starts = may_start(*next);
    if (starts) taken.push_back(*next);
    next = starts ? keys_.erase(next) : std::next(next);
  }
  next_ = next == keys_.end() ? std::nullopt : std::optional(*next);
  return taken;
}

}  // namespace xebec::watcher
