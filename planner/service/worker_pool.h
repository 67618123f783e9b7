// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/bounded_queue.h"

namespace xebec::planner {

/// A fixed number of threads that run tasks from a bounded queue in the order of arrival.
/// Thread-safe.
class WorkerPool {
 public:
  /// Starts `threads` threads with the name `name`. At most `capacity` tasks wait.
  WorkerPool(size_t threads, size_t capacity, const std::string& name);
  /// Runs the waiting tasks, then ends the threads.
  ~WorkerPool();

  /// Adds a task, which must not throw. Waits while the queue is full, which slows down the caller.
  void Post(std::function<void()> task) { tasks_.Push(std::move(task)); }
  /// The number of waiting tasks.
  size_t depth() const { return tasks_.size(); }

 private:
  void Work();

  BoundedQueue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};

}  // namespace xebec::planner
