// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace xebec::rpc {

/// The open streams of a service, which must end before the service does. Thread-safe.
template <typename Stream>
class OpenStreams {
 public:
  /// Adds a stream. Returns false after Close.
  bool Enter(std::shared_ptr<Stream> stream) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    if (!closed_) streams_.insert(std::move(stream));
    return !closed_;
  }

  void Leave(const std::shared_ptr<Stream>& stream) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    streams_.erase(stream);
    left_.NotifyAll();
  }

  /// Admits no stream from now on.
  void Close() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    closed_ = true;
  }

  /// Calls `function` for each stream. It must not call this object.
  template <typename Function>
  void ForEach(const Function& function) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    for (const std::shared_ptr<Stream>& stream : streams_) function(*stream);
  }

  /// Waits at most `timeout` until no stream is open. Returns true if none is.
  bool AwaitNone(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_) {
    const absl::Duration until = ReadClock().monotonic + timeout;
    MutexLock lock(&mu_);
    while (!streams_.empty()) {
      const absl::Duration left = until - ReadClock().monotonic;
      if (left <= absl::ZeroDuration()) return false;
      left_.WaitFor(&mu_, left);
    }
    return true;
  }

 private:
  Mutex mu_;
  CondVar left_;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  std::set<std::shared_ptr<Stream>> streams_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::rpc
