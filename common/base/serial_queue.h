// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/bounded_queue.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace xebec {

/// A BoundedQueue and its only consumer, which handles one item at a time, in the order of their
/// arrival. A thread that pushes an item while the consumer is idle lets the consumer handle it
/// right there, so no other thread has to wake up. The thread in Serve does the rest: what was
/// pushed while the consumer was busy, and what the consumer has to do at a certain time. Before
/// Serve, and after Close, this is a BoundedQueue. All methods are thread-safe. The destructor must
/// not run while another method runs.
template <typename T>
class SerialQueue : private BoundedQueue<T> {
  using Base = BoundedQueue<T>;

 public:
  /// Works in turns: a group of items, or none, and then the end of the turn. One thread runs a
  /// turn, and each turn sees what the turns before it have written. A turn must not block, and it
  /// must not call Push, which could wait for the turn.
  class Consumer {
   public:
    virtual void Handle(T item) = 0;
    /// Every item that was pushed before `heard` (monotonic) has been handled. Returns when the
    /// next turn must run (monotonic) if no item is pushed before.
    virtual absl::Duration EndTurn(absl::Duration heard) = 0;

   protected:
    ~Consumer() = default;
  };

  using Base::Base;
  using Base::Close;
  using Base::CloseAndClear;
  using Base::closed;
  using Base::empty;
  using Base::Pop;
  using Base::PopAll;
  using Base::size;

  /// As BoundedQueue::Push. May run a turn: the caller must hold no lock that a turn takes.
  bool Push(T&& item) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    if (Idle()) return HandleHere(std::move(item));
    const size_t bytes = this->BytesOf(item);
    this->AwaitRoom(bytes);
    return Add(std::move(item), bytes);
  }

  /// As BoundedQueue::PushNow. May run a turn, unless the caller is in one.
  bool PushNow(T&& item) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    if (Idle()) return HandleHere(std::move(item));
    return Add(std::move(item), this->BytesOf(item));
  }

  /// As PushNow, but never runs a turn: for callers that hold a lock which a turn takes.
  bool PushForServer(T&& item) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    return Add(std::move(item), this->BytesOf(item));
  }

  /// Lets `consumer` handle the items, until Close is called. The first turn begins at once.
  /// Blocks; after the return, no turn runs, and items that were not handled remain in the queue.
  void Serve(Consumer* consumer) ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    consumer_ = consumer;
    next_turn_ = -absl::InfiniteDuration();
    while (!closed_) {
      if (!in_turn_ && Due()) {
        TakeTurn();
      } else {
        sleeps_until_ = in_turn_ ? absl::InfiniteDuration() : next_turn_;
        pushed_.WaitFor(&mu_, sleeps_until_ - ReadClock().monotonic);
      }
    }
    while (in_turn_) pushed_.Wait(&mu_);
    consumer_ = nullptr;
  }

 private:
  using Base::closed_;
  using Base::items_;
  using Base::mu_;
  using Base::pushed_;

  /// A thread that pushed an item takes so many further turns for other threads.
  static constexpr int kFurtherTurns = 4;

  bool Idle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return consumer_ != nullptr && !in_turn_ && !closed_ && items_.empty();
  }

  bool Due() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return !items_.empty() || next_turn_ <= ReadClock().monotonic;
  }

  /// While a turn runs, its thread looks after the queue.
  bool Add(T&& item, size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!this->Append(std::move(item), bytes)) return false;
    if (!in_turn_) pushed_.NotifyOne();
    return true;
  }

  bool HandleHere(T&& item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const absl::Duration heard = BeginTurn();
    consumer_->Handle(std::move(item));
    EndTurn(heard);
    for (int i = 0; i < kFurtherTurns && !closed_ && Due(); ++i) TakeTurn();
    if (closed_ || !items_.empty() || next_turn_ < sleeps_until_) pushed_.NotifyOne();
    return true;
  }

  void TakeTurn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    std::deque<T> items = this->TakeAll();
    const absl::Duration heard = BeginTurn();
    for (T& item : items) consumer_->Handle(std::move(item));
    EndTurn(heard);
  }

  /// Unlocks the queue for the turn.
  absl::Duration BeginTurn() ABSL_UNLOCK_FUNCTION(mu_) {
    in_turn_ = true;
    const absl::Duration heard = ReadClock().monotonic;
    mu_.Unlock();
    return heard;
  }

  void EndTurn(absl::Duration heard) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu_) {
    const absl::Duration next = consumer_->EndTurn(heard);
    mu_.Lock();
    next_turn_ = next;
    in_turn_ = false;
  }

  Consumer* consumer_ = nullptr;  ///< Changes only while no turn runs.
  bool in_turn_ ABSL_GUARDED_BY(mu_) = false;
  absl::Duration next_turn_ ABSL_GUARDED_BY(mu_);
  absl::Duration sleeps_until_ ABSL_GUARDED_BY(mu_);  ///< The thread in Serve, if it sleeps.
};

}  // namespace xebec
