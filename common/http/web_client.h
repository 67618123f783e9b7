// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace xebec::http {

/// One POST to any server. A connection is used again only for the same host, port and TLS
/// settings.
struct WebRequest {
  std::string url;                   ///< "https://host:port/path"
  std::vector<std::string> headers;  ///< "Content-Type: application/json"
  std::string body;
  absl::Duration timeout;     ///< For the whole request, including the connection.
  size_t max_body_bytes = 0;  ///< Of the response.
  /// The name in the server's certificate. Empty means the host of the URL.
  std::string server_name;
  std::string ca_pem;                    ///< Empty: the CA certificates of the system.
  std::string certificate_pem, key_pem;  ///< A client certificate; empty means none.
  /// Decides on each address before a connection to it is made: returns "" or why not. Runs on the
  /// thread of the client.
  std::function<std::string(const sockaddr& address)> check;
};

struct WebResponse {
  enum class Error {
    kNone,       ///< `status`, `body` and the headers are valid.
    kResolve,    ///< The name does not resolve.
    kConnect,    ///< No connection.
    kTls,        ///< The handshake failed.
    kBroken,     ///< The connection broke, or the response is not HTTP.
    kTimeout,    ///< No complete response within the timeout.
    kTooLarge,   ///< The body is larger than max_body_bytes.
    kForbidden,  ///< `check` refused all addresses.
    kCancelled,  ///< The client ended.
  };
  Error error = Error::kNone;
  std::string message;  ///< The reason, after an error.
  int status = 0;
  std::string body;
  std::string retry_after;  ///< The header. Empty if there is none.
  std::string location;     ///< The header. Empty if there is none.
};

/// A client for HTTP/1.1 servers that are not trusted, based on libcurl: one thread, no redirects,
/// no proxies, no cookies. A server that is slow, or whose name resolves slowly, delays no requests
/// to other servers. Methods are thread-safe and do not block. Callbacks run on the thread of
/// the client and must be short.
class WebClient {
 public:
  struct Options {
    std::string thread_name = "web-client";
    std::string user_agent;
    long max_connections_per_host = 64;
    long max_idle_connections = 256;
  };
  /// Starts the thread.
  explicit WebClient(Options options);
  /// Ends all requests with kCancelled and joins the thread. Must not run in a callback.
  ~WebClient();

  /// Sends a request and calls `done` exactly once. Returns a number for Cancel.
  uint64_t Post(WebRequest request, std::function<void(WebResponse)> done);

  /// Ends a request, whose `done` is then called with kCancelled. Ignores requests that have ended.
  void Cancel(uint64_t number);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xebec::http
