// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "common/base/mutex.h"
#include "common/http/testing/wire.h"

namespace xebec::http::testing {

/// A request that the server received.
struct ServedRequest {
  std::string method;
  std::string target;                          ///< As it was in the request line.
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;
  int connection = 0;  ///< Number of the accepted connection, from 1.
};

/// A small server on 127.0.0.1 whose behaviour, including errors, the test defines. It has one
/// thread per connection.
class FakeServer {
 public:
  /// Serves one connection until it ends.
  using Protocol = std::function<void(Wire& wire, int connection)>;
  /// Answers one HTTP/1.1 request by writing to `wire`. Returns false to close the connection.
  using Handler = std::function<bool(const ServedRequest& request, Wire& wire)>;

  FakeServer(std::optional<TlsSettings> tls, Protocol protocol);
  explicit FakeServer(Handler handler, std::optional<TlsSettings> tls = std::nullopt);
  /// Closes all connections and joins the threads.
  ~FakeServer();

  /// Sets the TLS settings of future connections.
  void SetTls(const TlsSettings& settings);

  int port() const { return port_; }
  std::string url() const;
  int connections();

 private:
  void AcceptLoop();

  const bool https_;
  const Protocol protocol_;
  int listener_ = -1;
  int port_ = 0;
  Mutex mu_;
  std::list<TlsContext> tls_ ABSL_GUARDED_BY(mu_);  ///< The last one is in use.
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::list<std::shared_ptr<Wire>> wires_ ABSL_GUARDED_BY(mu_);
  std::list<std::thread> threads_;  // used by the accepting thread, and after it has ended
  std::thread accepting_;
};

/// Returns a complete HTTP/1.1 response with Content-Length. `headers` are lines that end with
/// \r\n.
std::string Http(int status, const std::string& body, const std::string& headers = "");

/// Return the head of a chunked response, and one chunk of it.
std::string ChunkedHead(int status);
std::string Chunk(const std::string& data);

}  // namespace xebec::http::testing
