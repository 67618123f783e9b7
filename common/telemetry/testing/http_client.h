// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace xebec::telemetry {

/// A TCP connection to a port of 127.0.0.1. Tests use it for correct and for hostile HTTP requests.
class RawClient {
 public:
  explicit RawClient(int port);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  /// Sends bytes. Returns false once the server has closed the connection.
  bool Send(std::string_view bytes) const;
  /// Reads until the server closes the connection, at most 60 s.
  std::string ReadAll() const;

 private:
  int fd_;
};

/// The response to a GET.
struct Fetched {
  int status = 0;  ///< 0 if there was no response.
  std::string head;
  std::string body;
};
Fetched Fetch(int port, const std::string& target, const std::string& method = "GET");

}  // namespace xebec::telemetry
