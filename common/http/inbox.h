// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/http/transfer.h"
#include "common/kube/cluster_config.h"

namespace xebec::http::internal {

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

/// What other threads want of the HTTP thread. Thread-safe. Bounded by its users: StartTransfer
/// carries a request only while fewer than the limit are in flight, the others are small.
class Inbox {
 public:
  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Adds a command and wakes the HTTP thread. False (and `command` is untouched) after Close.
  bool Push(Command&& command);
  /// Everything pushed since the last call, in order.
  std::vector<Command> TakeAll();
  bool empty();
  /// Refuses what comes from now on.
  void Close();
  /// Wakes the HTTP thread without a command.
  void Wake() const;

  /// Readable when there is something to take; reset by ClearWakeUps.
  int wake_fd() const { return wake_fd_; }
  void ClearWakeUps() const;

  /// Says that the calling thread is the HTTP thread.
  void SetOwner();
  bool OnOwnerThread() const;

 private:
  const int wake_fd_;
  std::atomic<std::thread::id> owner_{};
  Mutex mu_;
  std::vector<Command> commands_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::http::internal
