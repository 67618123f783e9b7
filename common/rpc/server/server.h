// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/rpc/server/followers.h"
#include "common/rpc/server/service.h"
#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/channel.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"

namespace xebec::rpc {

class CallDesk;
class HealthService;
class ReflectionService;

/// Settings of a gRPC server. The defaults are those of the services.
struct ServerOptions {
  /// "127.0.0.1:7443", "[::1]:0", "localhost:7443", "unix:/run/xebec/planner.sock". Port 0 selects
  /// a free port.
  std::vector<std::string> listen;
  /// Null means plaintext, which is allowed only on loopback addresses and unix sockets.
  std::shared_ptr<grpc::ServerCredentials> credentials;
  /// Loopback addresses and unix sockets that serve plaintext even if `credentials` is set.
  std::vector<std::string> plaintext_listen;
  bool reflection = false;           ///< Lets grpcurl list and describe the services.
  int max_message_bytes = 16 << 20;  ///< For requests and responses.
  /// The server asks clients to close older connections, so that rotated certificates take effect.
  /// Streams reconnect before that.
  absl::Duration max_connection_age = absl::Minutes(30);
  absl::Duration max_connection_age_grace = absl::Minutes(1);
  absl::Duration keepalive = absl::Seconds(30);  ///< Interval of pings to silent clients.
  /// The connection closes if a ping gets no answer in time.
  absl::Duration keepalive_timeout = absl::Seconds(10);
  /// The limit of concurrent calls; an open stream counts as one call, and a unary call counts once
  /// its request has arrived. Further calls get RESOURCE_EXHAUSTED. Calls of the health service and
  /// of reflection do not count: they have a few places of their own, where the oldest call gives
  /// way (CallPlaces).
  int max_calls = 64;
  int max_streams_per_connection = 100;
  /// The threads that serve all calls. Without `poll_interval`, one of them serves alone until
  /// events wait for it, or until it handles one event for so long that another thread notices it
  /// (Followers).
  size_t threads = 1;
  std::string thread_name = "grpc-server";
  /// 0 means that the threads wait in gRPC. There, one of them polls the sockets of the process,
  /// and it must wake another thread for each event of a client's stream. A process whose clients
  /// matter more than its server sets this: the threads look for events at this interval. An idle
  /// server looks less and less often, down to an eighth.
  absl::Duration poll_interval;
  CallObserver observer;
};

/// A running gRPC server with grpc.health.v1. A few threads take the events of all calls from one
/// completion queue. Thread-safe.
class Server {
 public:
  /// Starts a server. Its health is NOT_SERVING until SetServing(true). The services must outlive
  /// the server. Returns INVALID_ARGUMENT for an address that is malformed or requires TLS, and
  /// UNAVAILABLE for an address that cannot be bound.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const std::vector<Service*>& services);
  /// Cancels running calls.
  ~Server();

  /// The addresses of the listeners with their actual ports: those of ServerOptions::listen, then
  /// those of plaintext_listen.
  const std::vector<std::string>& addresses() const { return addresses_; }
  /// Returns the port of the first TCP listener; 0 if there is none.
  int port() const { return port_; }

  /// Sets the health that grpc.health.v1 returns for "" and for every service.
  void SetServing(bool serving);

  /// Returns a channel without a socket, for tests.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  /// Tells the watchers of the health NOT_SERVING, ends calls of the health service and of
  /// reflection and unary calls without request, rejects new calls, waits at most `timeout` for
  /// running calls (services must end their streams themselves), then cancels them. Returns when
  /// all handlers have returned and no thread runs. Called by one thread at a time.
  void Stop(absl::Duration timeout);

 private:
  Server();
  void OpenDesk(const ServerOptions& options, const std::vector<Service*>& services);
  void Run(const ServerOptions& options);
  struct Completion {
    void* tag = nullptr;
    bool ok = false;
  };
  void ServeAlone();
  void Lead();
  void Follow();
  /// Serves events until none has arrived for `quiet` and another thread waits for the next one, or
  /// the server has stopped.
  void ServeUntilQuiet(absl::Duration quiet);
  void ServePolled(absl::Duration poll_interval);
  /// Waits for the next completion. One thread at a time polls, the others wait for their turn.
  /// Returns false if the server has stopped.
  bool Poll(absl::Duration interval, Completion* event);

  std::unique_ptr<HealthService> health_;
  std::unique_ptr<ReflectionService> reflection_;
  std::unique_ptr<CallDesk> desk_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::string> addresses_;
  int port_ = 0;
  Followers followers_;
  Mutex polling_;  // Held by the thread that polls; taken before mu_.
  Mutex mu_;
  CondVar stopped_;
  std::vector<std::thread> threads_;
};

}  // namespace xebec::rpc
