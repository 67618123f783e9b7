// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/ready_queue.h"

#include <limits>

namespace xebec::applier {

void ReadyQueue::Line::Add(uint64_t run, uint64_t turn) {
  if (members_.insert(run).second) order_.push_back({run, turn});
}

uint64_t ReadyQueue::Line::Pop() {
  const uint64_t run = order_.front().run;
  order_.pop_front();
  members_.erase(run);
  return run;
}

void ReadyQueue::Push(uint64_t run) { ready_.Add(run, next_turn_++); }

void ReadyQueue::Block(uint64_t run, const RequestClass& name) {
  blocked_[name].Add(run, next_turn_++);
}

std::optional<uint64_t> ReadyQueue::Pop(const RequestBudget& budget) {
  uint64_t first = ready_.empty() ? std::numeric_limits<uint64_t>::max() : ready_.turn();
  auto chosen = blocked_.end();
  for (auto it = blocked_.begin(); it != blocked_.end(); ++it) {
    if (it->second.turn() >= first || !budget.HasRoom(it->first)) continue;
    first = it->second.turn();
    chosen = it;
  }
  if (chosen == blocked_.end()) {
    return ready_.empty() ? std::nullopt : std::optional(ready_.Pop());
  }
  const uint64_t run = chosen->second.Pop();
  if (chosen->second.empty()) blocked_.erase(chosen);
  return run;
}

}  // namespace xebec::applier
