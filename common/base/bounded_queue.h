// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace xebec {

/// The limits of a BoundedQueue.
struct QueueLimits {
  size_t items;
  size_t bytes = std::numeric_limits<size_t>::max();
};

/// A first-in, first-out queue between threads, bounded by the number of its items and by their
/// size in bytes. When the queue is full, Push waits for space and so slows the producer down;
/// PushNow exceeds the limits. The queue drops nothing while it is open. All methods are
/// thread-safe. The destructor must not run while another method runs.
template <typename T>
class BoundedQueue {
 public:
  /// Returns the size of an item in bytes. Runs while the queue is locked, so it must be cheap.
  using SizeOf = std::function<size_t(const T&)>;

  /// Without `size_of` only the number of items counts. An item that alone is larger than
  /// `limits.bytes` enters when the queue is empty.
  explicit BoundedQueue(QueueLimits limits, SizeOf size_of = nullptr)
      : limits_(limits), size_of_(std::move(size_of)) {}
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Waits until there is space and adds the item. Returns false, and leaves `item` as it is, once
  /// the queue is closed. A thread that pops from the queue must not call this method: it could
  /// wait for itself.
  bool Push(T&& item) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    const size_t bytes = BytesOf(item);
    AwaitRoom(bytes);
    return Add(std::move(item), bytes);
  }

  /// Adds the item even when the queue is full; never waits. Used by consumers that post to
  /// themselves, and by producers that limit their items in another way. Returns false, and leaves
  /// `item` as it is, once the queue is closed.
  bool PushNow(T&& item) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    return Add(std::move(item), BytesOf(item));
  }

  /// Waits for an item and removes it. Returns nullopt once the queue is closed and empty.
  std::optional<T> Pop() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    while (items_.empty() && !closed_) pushed_.Wait(&mu_);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item = std::move(items_.front());
    items_.pop_front();
    bytes_ -= BytesOf(*item);
    popped_.NotifyAll();
    return item;
  }

  /// Removes all items, in order. Waits at most `timeout` for the first one; returns nothing after
  /// the timeout, and at once when the queue is closed and empty.
  std::deque<T> PopAll(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    bool over = timeout <= absl::ZeroDuration();
    while (!closed_ && items_.empty() && !over) over = pushed_.WaitFor(&mu_, timeout);
    return TakeAll();
  }

  /// Refuses items from now on and wakes all waiting threads. Items in the queue can be popped.
  void Close() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    closed_ = true;
    pushed_.NotifyAll();
    popped_.NotifyAll();
  }

  /// Closes the queue and destroys its items, on the calling thread and outside the lock.
  void CloseAndClear() ABSL_LOCKS_EXCLUDED(mu_) {
    Close();
    PopAll(absl::ZeroDuration());
  }

  bool closed() const ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    return closed_;
  }
  size_t size() const ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    return items_.size();
  }
  bool empty() const ABSL_LOCKS_EXCLUDED(mu_) { return size() == 0; }

 protected:
  size_t BytesOf(const T& item) const { return size_of_ ? size_of_(item) : 0; }

  void AwaitRoom(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    while (!closed_ && !HasRoom(bytes)) popped_.Wait(&mu_);
  }

  /// Adds an item of so many bytes and wakes no consumer.
  bool Append(T&& item, size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (closed_) return false;
    items_.push_back(std::move(item));
    bytes_ += bytes;
    return true;
  }

  std::deque<T> TakeAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    bytes_ = 0;
    popped_.NotifyAll();
    return std::exchange(items_, {});
  }

  mutable Mutex mu_;
  CondVar pushed_;  ///< Consumers wait on it.
  std::deque<T> items_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;

 private:
  bool HasRoom(size_t bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (items_.empty()) return true;
    return items_.size() < limits_.items && bytes <= limits_.bytes &&
           bytes_ <= limits_.bytes - bytes;
  }

  bool Add(T&& item, size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!Append(std::move(item), bytes)) return false;
    pushed_.NotifyOne();
    return true;
  }

  const QueueLimits limits_;
  const SizeOf size_of_;
  CondVar popped_;  ///< Producers wait on it.
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace xebec
