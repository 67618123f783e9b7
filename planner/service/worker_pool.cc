// SPDX-License-Identifier: Apache-2.0
#include "planner/service/worker_pool.h"

#include <utility>

#include "common/base/thread.h"

namespace xebec::planner {

WorkerPool::WorkerPool(size_t threads, size_t capacity, const std::string& name)
    : capacity_(capacity) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, name] {
      NameThisThread(name);
      Work();
    });
  }
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(&mu_);
    ending_ = true;
    work_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Post(std::function<void()> task) {
  MutexLock lock(&mu_);
  while (tasks_.size() >= capacity_) room_.Wait(&mu_);
  tasks_.push_back(std::move(task));
  work_.NotifyOne();
}

size_t WorkerPool::depth() const {
  MutexLock lock(&mu_);
  return tasks_.size();
}

void WorkerPool::Work() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(&mu_);
      while (tasks_.empty() && !ending_) work_.Wait(&mu_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      room_.NotifyOne();
    }
    task();
  }
}

}  // namespace xebec::planner
