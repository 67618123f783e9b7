// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/base/thread.h"

namespace xebec::rpc {

/// The writing side of one server stream: any thread pushes, one thread of its own writes, in order
/// of arrival. Thread-safe.
template <typename Message>
class StreamWriter {
 public:
  /// `write` sends one message and says whether the stream still lives; called from the writer's
  /// thread alone. Beyond `capacity` messages Push waits: a peer that does not read slows its own
  /// stream down.
  StreamWriter(std::function<bool(const Message&)> write, size_t capacity, std::string thread_name)
      : write_(std::move(write)), capacity_(capacity) {
    thread_ = std::thread([this, thread_name = std::move(thread_name)] {
      NameThisThread(thread_name);
      Run();
    });
  }
  ~StreamWriter() { Finish(); }

  /// False (and the message is dropped) when the stream is broken or finished.
  bool Push(Message message) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    while (!broken_ && !finished_ && queue_.size() >= capacity_) room_.Wait(&mu_);
    if (broken_ || finished_) return false;
    queue_.push_back(std::move(message));
    work_.NotifyOne();
    return true;
  }

  /// Writes what is queued, then ends the thread. Called by the owner, once it wants nothing more
  /// to be sent.
  void Finish() ABSL_LOCKS_EXCLUDED(mu_) {
    {
      MutexLock lock(&mu_);
      finished_ = true;
      work_.NotifyAll();
      room_.NotifyAll();
    }
    if (thread_.joinable()) thread_.join();
  }

  bool broken() const ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    return broken_;
  }

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mu_) {
    Message message;
    while (Next(&message)) {
      if (write_(message)) continue;
      MutexLock lock(&mu_);
      broken_ = true;
      queue_.clear();
      room_.NotifyAll();
    }
  }

  bool Next(Message* message) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    while (queue_.empty() && !finished_) work_.Wait(&mu_);
    if (queue_.empty()) return false;
    *message = std::move(queue_.front());
    queue_.pop_front();
    room_.NotifyOne();
    return true;
  }

  const std::function<bool(const Message&)> write_;
  const size_t capacity_;
  mutable Mutex mu_;
  CondVar work_;  ///< The writer waits for it.
  CondVar room_;  ///< Pushers wait for it.
  std::deque<Message> queue_ ABSL_GUARDED_BY(mu_);
  bool broken_ ABSL_GUARDED_BY(mu_) = false;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace xebec::rpc
