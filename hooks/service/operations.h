// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"

namespace xebec::gateway {

/// Counts operations that must end before the parts that they use do. Thread-safe.
class Operations {
 public:
  void Begin() {
    MutexLock lock(&mu_);
    ++open_;
  }
  void End() {
    MutexLock lock(&mu_);
    if (--open_ == 0) none_.NotifyAll();
  }
  void AwaitNone() {
    MutexLock lock(&mu_);
    while (open_ > 0) none_.Wait(&mu_);
  }

 private:
  Mutex mu_;
  CondVar none_;
  size_t open_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace xebec::gateway
