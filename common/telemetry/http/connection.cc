// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace xebec::telemetry {
namespace {

constexpr size_t kReadBuffer = 2048;

bool WouldBlock(ssize_t result) {
  return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

Connection::Connection(int fd, const HttpTimeouts& timeouts, absl::Duration now)
    : fd_(fd), timeouts_(timeouts), deadline_(now + timeouts.head) {}

Connection::~Connection() { close(fd_); }

short Connection::events() const {
  if (state_ == State::kReading || state_ == State::kLingering) return POLLIN;
  return state_ == State::kWriting ? POLLOUT : 0;
}

void Connection::Advance(absl::Duration now) {
  if (state_ == State::kReading) return Read(now);
  if (state_ == State::kWriting) return Write(now);
  if (state_ == State::kLingering) Discard();
}

// One read per iteration, so that a client that sends endlessly does not delay the others.
void Connection::Read(absl::Duration now) {
  char buffer[kReadBuffer];
  const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
  if (WouldBlock(got)) return;
  if (got <= 0) {
    state_ = State::kClosed;
    return;
  }
  const auto read = reader_.Feed(std::string_view(buffer, static_cast<size_t>(got)));
  if (read == RequestReader::State::kIncomplete) return;
  state_ = State::kRequested;
  deadline_ = now + timeouts_.answer;
}

void Connection::Respond(std::string bytes, absl::Duration now) {
  if (state_ != State::kRequested && state_ != State::kAnswering) return;
  unsent_ = std::move(bytes);
  state_ = State::kWriting;
  Write(now);
}

void Connection::Write(absl::Duration now) {
  const ssize_t wrote =
      send(fd_, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (WouldBlock(wrote)) return;
  if (wrote < 0) {
    state_ = State::kClosed;
    return;
  }
  sent_ += static_cast<size_t>(wrote);
  if (sent_ < unsent_.size()) return;
  unsent_ = std::string();
  shutdown(fd_, SHUT_WR);
  state_ = State::kLingering;
  deadline_ = now + timeouts_.linger;
}

// Closing a socket with unread bytes resets the connection, and the client could lose the response.
void Connection::Discard() {
  char buffer[kReadBuffer];
  const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
  if (got <= 0 && !WouldBlock(got)) state_ = State::kClosed;
}

}  // namespace xebec::telemetry
