// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"

namespace xebec::rpc {

/// Work that the only thread of a server does between the events of its calls. Calls and work then
/// need no lock between them, and no event wakes a second thread.
class ServerWork {
 public:
  ServerWork() = default;
  ServerWork(const ServerWork&) = delete;
  ServerWork& operator=(const ServerWork&) = delete;
  virtual ~ServerWork() = default;

  /// Does what there is to do. Runs on the server's thread, after each event and after Wake. It
  /// must not block. Returns the longest time until the next turn.
  virtual absl::Duration Turn() = 0;

 protected:
  /// Lets the server's thread take a turn soon. Callable by any thread, also without a server.
  void Wake() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  friend class Server;

  void Attach(grpc::CompletionQueue* queue) ABSL_LOCKS_EXCLUDED(mu_);
  /// Before the queue shuts down.
  void Detach() ABSL_LOCKS_EXCLUDED(mu_);
  /// Takes a turn. Returns how long the thread may sleep now.
  absl::Duration TakeTurn() ABSL_LOCKS_EXCLUDED(mu_);
  /// The thread got an event, or has slept for long enough.
  void Awake() ABSL_LOCKS_EXCLUDED(mu_);
  /// Returns true if the tag is that of an alarm, which needs nothing but a turn.
  bool TakeAlarm(void* tag);

  Mutex mu_;
  grpc::CompletionQueue* queue_ ABSL_GUARDED_BY(mu_) = nullptr;  ///< Not owned.
  bool asleep_ ABSL_GUARDED_BY(mu_) = false;
  bool woken_ ABSL_GUARDED_BY(mu_) = false;  ///< Since the last turn began.
  std::atomic<bool> ringing_{false};         ///< The queue has the alarm.
  grpc::Alarm alarm_;
};

}  // namespace xebec::rpc
