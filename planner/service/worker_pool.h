// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/bounded_queue.h"

namespace xebec::planner {

/// A fixed number of threads that run tasks from a bounded queue in order of arrival. Thread-safe.
class WorkerPool {
 public:
  /// Starts `threads` threads called `name`. At most `capacity` tasks wait.
  WorkerPool(size_t threads, size_t capacity, const std::string& name);
  /// Runs the tasks that wait, then ends the threads.
  ~WorkerPool();

  /// Adds a task, which must not throw. Waits while the queue is full: the caller's own call is
  /// slowed down.
  void Post(std::function<void()> task) { tasks_.Push(std::move(task)); }
  /// The number of tasks that wait.
  size_t depth() const { return tasks_.size(); }

 private:
  void Work();

  BoundedQueue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};

}  // namespace xebec::planner
