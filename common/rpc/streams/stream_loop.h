// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "grpc/support/time.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"

namespace xebec::rpc {

/// The tag of an operation on the queue of a StreamLoop.
class Completion {
 public:
  virtual void Done(bool ok) = 0;

 protected:
  ~Completion() = default;
};

/// One completion queue and the thread `streams`, which runs the completions and the timers of all
/// pools that share the loop. Thread-safe.
class StreamLoop {
 public:
  /// A pool of streams. The loop calls it on its thread only.
  class Client {
   public:
    /// Returns the time (monotonic) at which Tick must run.
    virtual absl::Duration Due() = 0;
    virtual void Tick() = 0;

   protected:
    ~Client() = default;
  };

  /// Starts the thread.
  StreamLoop();
  /// Ends the thread. All clients must be removed.
  ~StreamLoop();

  void Add(Client* client) ABSL_LOCKS_EXCLUDED(mu_);
  /// After the return, the loop does not call the client. The client has no operation under way.
  /// Must not be called on the loop's thread.
  void Remove(Client* client) ABSL_LOCKS_EXCLUDED(mu_);

  /// Makes the loop read Client::Due again if it would sleep beyond `due`.
  void WakeBefore(absl::Duration due);

  grpc::CompletionQueue* queue() { return &queue_; }

  /// Calls `start`, which must start one operation with the tag `completion`. If the operation
  /// completes at once, returns its result and does not run `completion`: no other thread wakes
  /// up. Otherwise returns nullopt, and the loop's thread runs `completion`.
  template <typename Operation>
  std::optional<bool> Start(Operation start, Completion* completion) {
    if (std::this_thread::get_id() == thread_.get_id()) {
      start();  // the next turn gets its completion
      return std::nullopt;
    }
    void* tag = nullptr;
    bool ok = false;
    const gpr_timespec now = gpr_inf_past(GPR_CLOCK_MONOTONIC);
    const auto status = queue_.DoThenAsyncNext(std::move(start), &tag, &ok, now);
    if (status != grpc::CompletionQueue::GOT_EVENT) return std::nullopt;
    if (tag == completion) return ok;
    PassOn(static_cast<Completion*>(tag), ok);
    return std::nullopt;
  }

 private:
  struct Event {
    Completion* completion;
    bool ok;
  };
  class Alarm final : public Completion {
   public:
    void Set(grpc::CompletionQueue* queue);
    void Done(bool) override { pending_ = false; }

   private:
    std::atomic<bool> pending_{false};
    grpc::Alarm alarm_;
  };

  /// Passes a completion from another thread to the loop's thread.
  void PassOn(Completion* completion, bool ok) ABSL_LOCKS_EXCLUDED(mu_);
  void Run();
  void TickDue() ABSL_LOCKS_EXCLUDED(mu_);
  void RunTaken() ABSL_LOCKS_EXCLUDED(mu_);
  void AwaitEvent() ABSL_LOCKS_EXCLUDED(mu_);
  absl::Duration NextDue() ABSL_LOCKS_EXCLUDED(mu_);
  void Drain();

  grpc::CompletionQueue queue_;
  Alarm alarm_;
  std::atomic<bool> ending_{false};
  std::atomic<int64_t> sleeps_until_ns_;  ///< Monotonic; the minimum while the thread is awake.

  Mutex mu_;
  CondVar turned_;
  std::vector<Client*> clients_ ABSL_GUARDED_BY(mu_);
  /// Completions of other operations that a thread in Start got from the queue.
  std::vector<Event> taken_ ABSL_GUARDED_BY(mu_);
  uint64_t turns_ ABSL_GUARDED_BY(mu_) = 0;     ///< Of the loop.
  bool sleeping_ ABSL_GUARDED_BY(mu_) = false;  ///< The thread runs no code of a client.
  std::thread thread_;
};

}  // namespace xebec::rpc
