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

/// A request as the server has read it.
struct ServedRequest {
  std::string method;
  std::string target;                          ///< As in the request line.
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;
  int connection = 0;  ///< Counts accepted connections from 1.
};

/// A small server on 127.0.0.1 that does what the test says, misbehaviour included. One thread a
/// connection.
class FakeServer {
 public:
  /// Serves one connection to its end.
  using Protocol = std::function<void(Wire& wire, int connection)>;
  /// Answers one HTTP/1.1 request by writing to `wire`; false ends the connection.
  using Handler = std::function<bool(const ServedRequest& request, Wire& wire)>;

  FakeServer(std::optional<TlsSettings> tls, Protocol protocol);
  explicit FakeServer(Handler handler, std::optional<TlsSettings> tls = std::nullopt);
  /// Ends all connections and joins.
  ~FakeServer();

  /// The connections that come from now on get these settings.
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
  std::list<TlsContext> tls_ ABSL_GUARDED_BY(mu_);  ///< The last one counts.
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::list<std::shared_ptr<Wire>> wires_ ABSL_GUARDED_BY(mu_);
  std::list<std::thread> threads_;  // touched by the accepting thread, and after its end
  std::thread accepting_;
};

/// A whole HTTP/1.1 answer with Content-Length. `headers` are lines with \r\n.
std::string Http(int status, const std::string& body, const std::string& headers = "");

/// The head of an answer of unknown length, and one piece of it.
std::string ChunkedHead(int status);
std::string Chunk(const std::string& data);

}  // namespace xebec::http::testing
