// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace xebec::rpc {

/// Decides when a thread that serves events needs help: when so many events in a row were there
/// already. A value.
class BusyStreak {
 public:
  /// A message that is answered has two events.
  static constexpr int kBusy = 8;

  /// Takes the next event; `waited` if the thread had to wait for it. Returns true if it needs
  /// help.
  bool Next(bool waited) {
    streak_ = waited ? 0 : streak_ + 1;
    return streak_ >= kBusy;
  }

 private:
  int streak_ = 0;
};

/// The threads that serve events only if the leader needs help (the pattern leader/followers). A
/// thread that waits in gRPC beside the leader costs several switches of threads for each event,
/// because the two pass the polling to each other. Thread-safe.
class Followers {
 public:
  /// If a thread handles one event for so long that nobody waits for the next one, a follower
  /// notices it with its second check. It checks once in this time, and up to eight times less
  /// often if the server was idle before.
  static constexpr absl::Duration kLook = absl::Milliseconds(50);
  static constexpr int kIdleFactor = 8;

  /// A thread begins or ends to wait for the next event.
  void BeginWait() { ++waiting_; }
  void EndWait() {
    --waiting_;
    ++ended_waits_;
  }
  /// Returns true if a thread waits for the next event.
  bool AnyWaits() const { return waiting_ > 0; }

  /// Wakes one thread in AwaitCall, if there is one.
  void Call() ABSL_LOCKS_EXCLUDED(mu_);
  /// Returns true if a thread has called, or if no thread waits for events. Returns false once the
  /// followers are dismissed.
  bool AwaitCall() ABSL_LOCKS_EXCLUDED(mu_);
  /// Ends AwaitCall, now and later.
  void Dismiss() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  bool MayGo() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return calls_ > 0 || dismissed_; }
  /// Waits for a call. Returns early if no thread has waited for events for some time.
  void Look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  std::atomic<int> waiting_{0};
  std::atomic<uint64_t> ended_waits_{0};

  Mutex mu_;
  CondVar called_;
  size_t followers_ ABSL_GUARDED_BY(mu_) = 0;  ///< Threads in AwaitCall.
  size_t calls_ ABSL_GUARDED_BY(mu_) = 0;      ///< That no thread has taken; at most followers_.
  bool looking_ ABSL_GUARDED_BY(mu_) = false;  ///< One of the followers is in Look.
  bool dismissed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::rpc
