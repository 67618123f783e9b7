// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/ready_queue.h"

namespace xebec::applier {

void ReadyQueue::Push(uint64_t run) {
  if (is_ready_.insert(run).second) ready_.push_back(run);
}

void ReadyQueue::Block(uint64_t run, const RequestClass& name) {
  Blocked& blocked = blocked_[name];
  if (blocked.members.insert(run).second) blocked.order.push_back(run);
}

std::optional<uint64_t> ReadyQueue::Pop(const RequestBudget& budget) {
  if (!ready_.empty()) {
    const uint64_t run = ready_.front();
    ready_.pop_front();
    is_ready_.erase(run);
    return run;
  }
  for (auto it = blocked_.begin(); it != blocked_.end(); ++it) {
    if (!budget.HasRoom(it->first)) continue;
    const uint64_t run = it->second.order.front();
    it->second.order.pop_front();
    it->second.members.erase(run);
    if (it->second.order.empty()) blocked_.erase(it);
    return run;
  }
  return std::nullopt;
}

}  // namespace xebec::applier
