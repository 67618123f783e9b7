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
/// A request beyond kMaxInFlight; it is answered with kNotSent.
struct RefuseTransfer {
  std::unique_ptr<Transfer> transfer;
};
struct CancelStream {
  std::shared_ptr<StreamState> stream;
};
struct CredentialsArrived {
  absl::StatusOr<kube::Credentials> credentials;
  bool invalidated;  ///< True for the answer to CredentialCache::Question::kInvalidateAndGet.
};

using Command = std::variant<StartTransfer, RefuseTransfer, CancelStream, CredentialsArrived>;

/// The queue of commands from other threads to the HTTP thread, which waits in epoll and not on a
/// condition variable. Never waits. Thread-safe. Its users bound its size: requests enter as
/// StartTransfer only while fewer than kMaxInFlight are in flight, and the HTTP thread answers
/// other commands at once.
class Inbox {
 public:
  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Adds a command and wakes the HTTP thread. After Close, returns false and leaves `command` as
  /// it is.
  bool Push(Command&& command);
  /// Removes and returns all commands, in order.
  std::deque<Command> TakeAll() { return commands_.PopAll(absl::ZeroDuration()); }
  bool empty() const { return commands_.empty(); }
  /// Rejects commands from now on.
  void Close() { commands_.Close(); }
  /// Wakes the HTTP thread without a command.
  void Wake();

  /// A file descriptor that is readable when commands are waiting. ClearWakeUps resets it; call it
  /// before TakeAll.
  int wake_fd() const { return wake_fd_; }
  void ClearWakeUps();

  /// Records that the calling thread is the HTTP thread.
  void SetOwner();
  bool OnOwnerThread() const;

 private:
  const int wake_fd_;
  std::atomic<std::thread::id> owner_{};
  std::atomic<bool> woken_{false};  ///< True while a wake-up is pending; saves system calls.
  BoundedQueue<Command> commands_;
};

}  // namespace xebec::http::internal
