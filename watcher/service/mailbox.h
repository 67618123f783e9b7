// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// A question to the engine, answered on the engine's thread between two inputs.
using Query = std::function<void(const Engine& engine, const Instant& now)>;
/// Work of the shell itself that has to wait for a time.
using Task = std::function<void()>;

/// What the engine's thread works through, in order of arrival.
using Mail = std::variant<Input, Query, Task>;

/// The bounded queue in front of the engine's thread. Thread-safe.
class Mailbox {
 public:
  /// `capacity` counts mails; a watch chunk with many events is one mail.
  explicit Mailbox(size_t capacity) : capacity_(capacity) {}

  /// Adds a mail and wakes the reader. When the box is full the caller waits: the API server and
  /// the peers are slowed down, nothing is dropped. After Close the mail is dropped.
  void Post(Mail mail) ABSL_LOCKS_EXCLUDED(mu_);

  /// The same without waiting, for the reader itself, which would wait for ever.
  void PostFromReader(Mail mail) ABSL_LOCKS_EXCLUDED(mu_);

  /// All mails there are, waiting for the first one at most `timeout`. Empty after a time-out.
  std::vector<Mail> Take(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);

  /// Lets go of everybody who waits in Post, and drops what nobody will take any more.
  void Close() ABSL_LOCKS_EXCLUDED(mu_);

  size_t Depth() const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  const size_t capacity_;
  mutable Mutex mu_;
  CondVar arrived_;
  CondVar taken_;
  std::vector<Mail> mails_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::watcher
