// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"

namespace xebec::planner {

/// A fixed number of threads that work off a bounded queue in order of arrival. Thread-safe.
class WorkerPool {
 public:
  /// Starts the threads. At most `capacity` tasks wait.
  WorkerPool(size_t threads, size_t capacity, const std::string& name);
  /// Works off what waits, then ends the threads.
  ~WorkerPool();

  /// Waits for room: the caller's own call is slowed down. Tasks must not throw.
  void Post(std::function<void()> task) ABSL_LOCKS_EXCLUDED(mu_);
  /// Tasks that wait.
  size_t depth() const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  void Work() ABSL_LOCKS_EXCLUDED(mu_);

  const size_t capacity_;
  mutable Mutex mu_;
  CondVar work_;  ///< Workers wait for it.
  CondVar room_;  ///< Post waits for it.
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mu_);
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace xebec::planner
