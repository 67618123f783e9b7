// SPDX-License-Identifier: Apache-2.0
#include "common/http/inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace xebec::http::internal {

Inbox::Inbox()
    : wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), commands_({.items = kMaxInFlight}) {}

Inbox::~Inbox() { close(wake_fd_); }

bool Inbox::Push(Command&& command) {
  if (!commands_.PushNow(std::move(command))) return false;
  if (!OnOwnerThread()) Wake();
  return true;
}

void Inbox::Wake() {
  if (woken_.exchange(true)) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof(one));
}

void Inbox::ClearWakeUps() {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof(count));
  woken_ = false;
}

void Inbox::SetOwner() { owner_ = std::this_thread::get_id(); }

bool Inbox::OnOwnerThread() const { return owner_.load() == std::this_thread::get_id(); }

}  // namespace xebec::http::internal
