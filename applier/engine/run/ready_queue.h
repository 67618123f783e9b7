// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "applier/engine/budget/request_budget.h"

namespace xebec::applier {

/// The order in which runs get their turn: first come, first served, except that a run whose class
/// of requests has no room waits until it has. A value.
class ReadyQueue {
 public:
  /// The run may have requests to send. Does nothing if it is already at the end of the queue.
  void Push(uint64_t run);
  /// The run wants to send a request of a class that has no room.
  void Block(uint64_t run, const RequestClass& name);
  /// Removes and returns the next run: one that is ready, else one whose class has room now.
  std::optional<uint64_t> Pop(const RequestBudget& budget);
  /// No run has its turn as far as `budget` allows.
  bool empty() const { return ready_.empty(); }

 private:
  struct Blocked {
    std::deque<uint64_t> order;
    std::set<uint64_t> members;
  };

  std::deque<uint64_t> ready_;
  std::set<uint64_t> is_ready_;
  std::map<RequestClass, Blocked> blocked_;
};

}  // namespace xebec::applier
