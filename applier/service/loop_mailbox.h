// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace xebec::applier {

/// What the dispatcher's thread works through, in order of arrival. Bounded by what fills it: plans
/// by credits, answers by the requests in flight. Thread-safe.
class LoopMailbox {
 public:
  using Mail = std::function<void()>;

  /// False, and the mail is dropped, after Close.
  bool Post(Mail mail) ABSL_LOCKS_EXCLUDED(mu_);
  /// All mails there are, waiting for the first one at most `timeout`; empty after a time-out.
  std::vector<Mail> Take(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);
  void Close() ABSL_LOCKS_EXCLUDED(mu_);
  bool closed() const ABSL_LOCKS_EXCLUDED(mu_);

 private:
  mutable Mutex mu_;
  CondVar arrived_;
  std::vector<Mail> mails_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::applier
