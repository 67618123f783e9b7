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
/// of requests has no room waits until it has. It then comes before all runs that came after it
/// blocked. A value.
class ReadyQueue {
 public:
  /// The run may have requests to send. Does nothing if it is already at the end of the queue.
  void Push(uint64_t run);
  /// The run wants to send a request of a class that has no room.
  void Block(uint64_t run, const RequestClass& name);
  /// Removes and returns the run that has waited longest, of those that are ready and those whose
  /// class has room now.
  std::optional<uint64_t> Pop(const RequestBudget& budget);

 private:
  /// Runs in the order in which they came, each once.
  class Line {
   public:
    void Add(uint64_t run, uint64_t turn);
    uint64_t Pop();
    bool empty() const { return order_.empty(); }
    /// The turn of the first run; not empty.
    uint64_t turn() const { return order_.front().turn; }

   private:
    struct Place {
      uint64_t run, turn;
    };
    std::deque<Place> order_;
    std::set<uint64_t> members_;
  };

  uint64_t next_turn_ = 0;
  Line ready_;
  std::map<RequestClass, Line> blocked_;  // no line is empty
};

}  // namespace xebec::applier
