// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/bounded_queue.h"
#include "common/telemetry/http/connection.h"
#include "common/telemetry/http/listener.h"
#include "common/telemetry/http/response.h"

namespace xebec::telemetry {

/// Answers the requests that it matches, on a thread of its own.
struct HttpHandler {
  std::string thread_name;
  std::function<bool(const HttpRequest&)> matches;  ///< Runs on the server's thread.
  std::function<HttpResponse(const HttpRequest&)> answer;
  size_t max_requests;  ///< Limit of open requests; further requests get 503.
};

struct HttpServerOptions {
  std::string host;
  int port = 0;
  size_t max_connections = 128;
  HttpTimeouts timeouts;
};

/// A small HTTP/1.1 server for GET and HEAD. It stays responsive and its memory stays bounded,
/// whatever clients do: one thread serves all sockets without blocking, every connection has
/// deadlines and carries one request, heads are limited (RequestReader), and when there are too
/// many connections the oldest one without a complete request is closed. Each handler has its own
/// thread, so that a slow handler delays only its own requests. Thread-safe.
class HttpServer {
 public:
  /// Starts the threads. UNAVAILABLE when the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpServerOptions options,
                                                           std::vector<HttpHandler> handlers);
  /// Closes all connections. Waits for running handlers.
  ~HttpServer();

  /// The port that the server listens on.
  int port() const { return listener_.port(); }

 private:
  using Id = uint64_t;
  struct Job {
    Id id;
    HttpRequest request;
  };
  struct Answer {
    Id id;
    std::string bytes;
  };
  /// A handler with its thread and the requests that it has not answered.
  struct Worker {
    explicit Worker(HttpHandler made)
        : handler(std::move(made)), jobs({.items = handler.max_requests}) {}
    const HttpHandler handler;
    BoundedQueue<Job> jobs;
    std::set<Id> open;  ///< Used by the server's thread: requests whose response has not been sent.
    std::thread thread;
  };

  HttpServer(HttpServerOptions options, Listener listener, std::vector<HttpHandler> handlers);

  void Run();
  void Poll();
  void TakeAnswers(absl::Duration now);
  void Accept(absl::Duration now);
  bool AcceptOne(absl::Duration now);
  void Dispatch(Id id, Connection* connection, absl::Duration now);
  void CloseEnded(absl::Duration now);
  bool CloseOldestIncomplete();
  void PauseAccepting(absl::Duration now);
  absl::Duration NextDeadline() const;
  void Work(Worker* worker);
  void Wake() const;

  const HttpServerOptions options_;
  const Listener listener_;
  const int wake_fd_;
  std::vector<std::unique_ptr<Worker>> workers_;
  BoundedQueue<Answer> answers_;
  std::atomic<bool> stopping_{false};

  // Used by the server's thread.
  Id last_id_ = 0;
  std::map<Id, std::unique_ptr<Connection>> connections_;  // by age
  absl::Duration accept_after_ = -absl::InfiniteDuration();

  std::thread thread_;
};

}  // namespace xebec::telemetry
