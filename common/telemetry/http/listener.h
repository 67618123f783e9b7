// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace xebec::telemetry {

/// A listening TCP socket that never blocks. Owns its file descriptor.
class Listener {
 public:
  /// Listens on the host, a name or an address without brackets, and on the port; 0 is any free
  /// one. UNAVAILABLE with the reason of the system when it cannot.
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
