// SPDX-License-Identifier: Apache-2.0
#include "applier/service/loop_mailbox.h"

#include <utility>

namespace xebec::applier {

bool LoopMailbox::Post(Mail mail) {
  MutexLock lock(&mu_);
  if (closed_) return false;
  mails_.push_back(std::move(mail));
  if (mails_.size() == 1) arrived_.NotifyOne();
  return true;
}

std::vector<LoopMailbox::Mail> LoopMailbox::Take(absl::Duration timeout) {
  MutexLock lock(&mu_);
  while (mails_.empty() && !closed_) {
    if (arrived_.WaitFor(&mu_, timeout)) break;
  }
  return std::exchange(mails_, {});
}

void LoopMailbox::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  arrived_.NotifyAll();
}

bool LoopMailbox::closed() const {
  MutexLock lock(&mu_);
  return closed_;
}

}  // namespace xebec::applier
