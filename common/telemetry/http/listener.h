// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace xebec::telemetry {

/// A listening TCP socket that never blocks. Owns its file descriptor.
class Listener {
 public:
  /// Listens on `host`, a name or an IP address without brackets, and `port`; 0 selects a free
  /// port. UNAVAILABLE contains the system's error.
  static absl::StatusOr<Listener> Open(const std::string& host, int port);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;

  int fd() const { return fd_; }
  /// The port that the socket listens on.
  int port() const { return port_; }

  enum class Accepted { kConnection, kNone, kOutOfDescriptors };
  /// Accepts one connection, whose non-blocking socket belongs to the caller.
  Accepted Accept(int* fd) const;

 private:
  Listener(int fd, int port) : fd_(fd), port_(port) {}
  int fd_;
  int port_;
};

}  // namespace xebec::telemetry
