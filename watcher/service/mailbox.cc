// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/mailbox.h"

namespace xebec::watcher {

void Mailbox::Post(Mail mail) {
  MutexLock lock(&mu_);
  while (!closed_ && mails_.size() >= capacity_) taken_.Wait(&mu_);
  if (closed_) return;
  mails_.push_back(std::move(mail));
  arrived_.NotifyOne();
}

void Mailbox::PostFromReader(Mail mail) {
  MutexLock lock(&mu_);
  if (!closed_) mails_.push_back(std::move(mail));
}

std::vector<Mail> Mailbox::Take(absl::Duration timeout) {
  MutexLock lock(&mu_);
  bool over = timeout <= absl::ZeroDuration();
  while (!closed_ && mails_.empty() && !over) over = arrived_.WaitFor(&mu_, timeout);
  taken_.NotifyAll();
  return std::exchange(mails_, {});
}

void Mailbox::Close() {
  std::vector<Mail> dropped;  // destroyed without the lock
  MutexLock lock(&mu_);
  dropped.swap(mails_);
  closed_ = true;
  arrived_.NotifyAll();
  taken_.NotifyAll();
}

size_t Mailbox::Depth() const {
  MutexLock lock(&mu_);
  return mails_.size();
}

}  // namespace xebec::watcher
