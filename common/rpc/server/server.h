// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/channel.h"
#include "grpcpp/impl/codegen/service_type.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"

namespace xebec::rpc {

/// Settings of a gRPC server; every default is what the product ships.
struct ServerOptions {
  /// "127.0.0.1:7443", "[::1]:0", "localhost:7443", "unix:/run/xebec/planner.sock". Port 0: any
  /// free one.
  std::vector<std::string> listen;
  /// Null: plaintext, which is served on loopback and unix sockets only.
  std::shared_ptr<grpc::ServerCredentials> credentials;
  /// Addresses that stay plaintext whatever `credentials` says: loopback and unix sockets.
  std::vector<std::string> plaintext_listen;
  bool reflection = false;           ///< Lets grpcurl list and describe the services.
  int max_message_bytes = 16 << 20;  ///< Both ways.
  /// Older connections are asked to close (streams renew themselves earlier), so that certificates
  /// rotate.
  absl::Duration max_connection_age = absl::Minutes(30);
  absl::Duration max_connection_age_grace = absl::Minutes(1);
  absl::Duration keepalive = absl::Seconds(30);          ///< Pings callers that are silent ...
  absl::Duration keepalive_timeout = absl::Seconds(10);  ///< ... and drops who does not answer.
  /// Calls at once (each stream counts as long as it is open); what is beyond gets
  /// RESOURCE_EXHAUSTED.
  int max_threads = 64;
  int max_streams_per_connection = 100;
  CallObserver observer;
};

/// A running gRPC server (synchronous API) with grpc.health.v1. Thread-safe.
class Server {
 public:
  /// Listens and serves; health says NOT_SERVING until SetServing(true). `services` must outlive
  /// the server. INVALID_ARGUMENT for an address that cannot be read or may not be listened on
  /// without TLS, UNAVAILABLE when it cannot be bound.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const std::vector<grpc::Service*>& services);
  /// Cancels what still runs.
  ~Server();

  /// What is listened on, in the order of ServerOptions::listen and then plaintext_listen, with the
  /// real ports.
  const std::vector<std::string>& addresses() const { return addresses_; }
  /// Port of the first TCP listener; 0 when there is none.
  int port() const { return port_; }

  /// What grpc.health.v1 answers for "" and for every service.
  void SetServing(bool serving);

  /// A channel that needs no socket, for tests.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  /// Takes no more calls, waits at most `timeout` for those that run (services must end their
  /// streams themselves), then cancels them. Returns when all handlers have returned.
  void Stop(absl::Duration timeout);

 private:
  Server() = default;
  void NoteAddress(const Target& target, int port);

  std::unique_ptr<grpc::Server> server_;
  std::vector<std::string> addresses_;
  int port_ = 0;
};

}  // namespace xebec::rpc
