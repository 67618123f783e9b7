// SPDX-License-Identifier: Apache-2.0
#include "common/http/inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace xebec::http::internal {

Inbox::Inbox() : wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Inbox::~Inbox() { close(wake_fd_); }

bool Inbox::Push(Command&& command) {
  bool first;
  {
    MutexLock lock(&mu_);
    if (closed_) return false;
    first = commands_.empty();
    commands_.push_back(std::move(command));
  }
  if (first && !OnOwnerThread()) Wake();
  return true;
}

std::vector<Command> Inbox::TakeAll() {
  MutexLock lock(&mu_);
  return std::exchange(commands_, {});
}

bool Inbox::empty() {
  MutexLock lock(&mu_);
  return commands_.empty();
}

void Inbox::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
}

void Inbox::Wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof(one));
}

void Inbox::ClearWakeUps() const {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof(count));
}

void Inbox::SetOwner() { owner_ = std::this_thread::get_id(); }

bool Inbox::OnOwnerThread() const { return owner_.load() == std::this_thread::get_id(); }

}  // namespace xebec::http::internal
