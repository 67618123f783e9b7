// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// Tasks that run at a given time. Used only in turns of the engine.
class Timers {
 public:
  void Add(absl::Duration due, Task task) { tasks_.emplace(due, std::move(task)); }

  /// Returns when the first task is due (monotonic); InfiniteDuration if there is none.
  absl::Duration Next() const {
    return tasks_.empty() ? absl::InfiniteDuration() : tasks_.begin()->first;
  }

  /// Removes and returns the tasks that are due at `now`, earliest first.
  std::vector<Task> TakeDue(absl::Duration now) {
    std::vector<Task> due;
    const auto end = tasks_.upper_bound(now);
    for (auto it = tasks_.begin(); it != end; ++it) due.push_back(std::move(it->second));
    tasks_.erase(tasks_.begin(), end);
    return due;
  }

 private:
  std::multimap<absl::Duration, Task> tasks_;
};

}  // namespace xebec::watcher
