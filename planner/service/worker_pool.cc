// SPDX-License-Identifier: Apache-2.0
#include "planner/service/worker_pool.h"

#include "common/base/thread.h"

namespace xebec::planner {

WorkerPool::WorkerPool(size_t threads, size_t capacity, const std::string& name)
    : tasks_({.items = capacity}) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, name] {
      NameThisThread(name);
      Work();
    });
  }
}

WorkerPool::~WorkerPool() {
  tasks_.Close();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Work() {
  while (const std::optional<std::function<void()>> task = tasks_.Pop()) (*task)();
}

}  // namespace xebec::planner
