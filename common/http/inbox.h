// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "absl/status/statusor.h"
#include "common/base/bounded_queue.h"
#include "common/http/transfer.h"
#include "common/kube/cluster_config.h"

namespace xebec::http::internal {

/// Requests beyond this many in flight are refused.
inline constexpr size_t kMaxInFlight = 4096;

struct StartTransfer {
  std::unique_ptr<Transfer> transfer;
};
/// A request that is one too many: answered with kNotSent.
struct RefuseTransfer {
  std::unique_ptr<Transfer> transfer;
};
struct CancelStream {
  std::shared_ptr<StreamState> stream;
};
struct CredentialsArrived {
  absl::StatusOr<kube::Credentials> credentials;
  bool anew;  ///< Answer to CredentialCache::Question::kGetAnew.
};

using Command = std::variant<StartTransfer, RefuseTransfer, CancelStream, CredentialsArrived>;

/// The commands of other threads to the HTTP thread, which sleeps in epoll and not on a condition
/// variable. Never waits. Thread-safe. The users bound it: requests enter as StartTransfer only
/// while fewer than the limit are in flight, and the other commands are answered at once.
class Inbox {
 public:
  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Adds a command and wakes the HTTP thread. False (and `command` is untouched) after Close.
  bool Push(Command&& command);
  /// Everything pushed since the last call, in order.
  std::deque<Command> TakeAll() { return commands_.PopAll(absl::ZeroDuration()); }
  bool empty() const { return commands_.empty(); }
  /// Refuses commands from now on.
  void Close() { commands_.Close(); }
  /// Wakes the HTTP thread without a command.
  void Wake();

  /// Readable when there is something to take; reset by ClearWakeUps, which comes before TakeAll.
  int wake_fd() const { return wake_fd_; }
  void ClearWakeUps();

  /// Says that the calling thread is the HTTP thread.
  void SetOwner();
  bool OnOwnerThread() const;

 private:
  const int wake_fd_;
  std::atomic<std::thread::id> owner_{};
  std::atomic<bool> woken_{false};  ///< A wake-up is on its way; saves system calls.
  BoundedQueue<Command> commands_;
};

}  // namespace xebec::http::internal
