// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/bounded_queue.h"
#include "common/base/thread.h"

namespace xebec::gateway {

/// A few threads for work that takes long: name resolution and JSON. The number of calls bounds the
/// work that waits. Thread-safe.
class Workers {
 public:
  Workers(const std::string& name, size_t threads) {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this, name] {
        NameThisThread(name);
        while (std::optional<std::function<void()>> work = queue_.Pop()) (*work)();
      });
    }
  }
  ~Workers() { Stop(); }

  /// Drops the work that waits and all later work, and waits for what runs.
  void Stop() {
    queue_.CloseAndClear();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  void Run(std::function<void()> work) { queue_.PushNow(std::move(work)); }

 private:
  BoundedQueue<std::function<void()>> queue_{{std::numeric_limits<size_t>::max()}};
  std::vector<std::thread> threads_;
};

}  // namespace xebec::gateway
