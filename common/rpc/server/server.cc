// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/server.h"

#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/millis.h"
#include "common/rpc/server/reflection.h"
#include "common/rpc/server/unreadable.h"
#include "common/rpc/telemetry/call_metrics.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/server_builder.h"

namespace xebec::rpc {
namespace {

absl::StatusOr<Target> Admit(const std::string& listen, bool plaintext) {
  absl::StatusOr<std::vector<Target>> targets = ParseTargets(listen);
  if (!targets.ok()) return targets.status();
  if (targets->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("listen address \"", listen, "\": one address expected, not a list"));
  }
  if (plaintext && !IsLocal(targets->front())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "refusing to listen on \"", listen,
        "\" without TLS: every client that reaches it could call the service. Without TLS only "
        "loopback "
        "addresses "
        "(127.0.0.1, [::1], localhost) and unix sockets are served; listen on 127.0.0.1:",
        targets->front().port, " or unix:/path, or configure TLS"));
  }
  return targets->front();
}

std::string ListenUri(const Target& target, int port) {
  if (!target.path.empty()) return absl::StrCat("unix:", target.path);
  if (absl::StrContains(target.host, ":")) return absl::StrCat("[", target.host, "]:", port);
  return absl::StrCat(target.host, ":", port);
}

int PortNumber(const Target& target) {
  int port = 0;
  return absl::SimpleAtoi(target.port, &port) ? port : 0;
}

/// One address to listen on, and its actual port.
struct Listener {
  std::string text;
  Target target;
  std::shared_ptr<grpc::ServerCredentials> credentials;  ///< Null means plaintext.
  int port = 0;
};

absl::Status AddListeners(const std::vector<std::string>& addresses,
                          const std::shared_ptr<grpc::ServerCredentials>& credentials,
                          std::vector<Listener>* listeners) {
  for (const std::string& text : addresses) {
    absl::StatusOr<Target> target = Admit(text, credentials == nullptr);
    if (!target.ok()) return target.status();
    listeners->push_back({text, *std::move(target), credentials});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Listener>> AdmitAll(const ServerOptions& options) {
  std::vector<Listener> listeners;
  absl::Status added = AddListeners(options.listen, options.credentials, &listeners);
  if (added.ok()) added = AddListeners(options.plaintext_listen, nullptr, &listeners);
  if (!added.ok()) return added;
  return listeners;
}

absl::Status CheckBound(const std::vector<Listener>& listeners, bool started) {
  for (const Listener& listener : listeners) {
    if (listener.port != 0) continue;
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on \"", listener.text,
        "\": the address is in use, is not this machine's, or may not be opened by this user"));
  }
  return started ? absl::OkStatus() : absl::UnavailableError("cannot start the gRPC server");
}

void SetLimits(const ServerOptions& options, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(options.max_message_bytes);
  builder->SetMaxSendMessageSize(options.max_message_bytes);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, Millis(options.max_connection_age));
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                              Millis(options.max_connection_age_grace));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Millis(options.keepalive));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Millis(options.keepalive_timeout));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_streams_per_connection);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  grpc::ResourceQuota quota("xebec");
  quota.SetMaxThreads(options.max_threads);
  builder->SetResourceQuota(quota);
  builder->SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder->SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 2);
}

void SetExtras(const ServerOptions& options, grpc::ServerBuilder* builder) {
  static std::once_flag health;
  std::call_once(health, [] { grpc::EnableDefaultHealthCheckService(true); });
  if (options.reflection) builder->SetOption(Reflection());
  ServerInterceptorList interceptors;
  if (options.observer) interceptors = ServerInterceptors(options.observer);
  interceptors.push_back(ExplainUnreadable());
  builder->experimental().SetInterceptorCreators(std::move(interceptors));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<grpc::Service*>& services) {
  absl::StatusOr<std::vector<Listener>> listeners = AdmitAll(options);
  if (!listeners.ok()) return listeners.status();
  grpc::ServerBuilder builder;
  SetLimits(options, &builder);
  for (Listener& listener : *listeners) {
    builder.AddListeningPort(
        ListenUri(listener.target, PortNumber(listener.target)),
        listener.credentials == nullptr ? grpc::InsecureServerCredentials() : listener.credentials,
        &listener.port);
  }
  for (grpc::Service* service : services) builder.RegisterService(service);
  SetExtras(options, &builder);
  std::unique_ptr<Server> server(new Server);
  server->server_ = builder.BuildAndStart();
  const absl::Status bound = CheckBound(*listeners, server->server_ != nullptr);
  if (!bound.ok()) return bound;
  for (const Listener& each : *listeners) server->NoteAddress(each.target, each.port);
  server->SetServing(false);
  return server;
}

void Server::NoteAddress(const Target& target, int port) {
  addresses_.push_back(ListenUri(target, port));
  if (port_ == 0 && target.path.empty()) port_ = port;
}

Server::~Server() {
  if (server_ != nullptr) Stop(absl::ZeroDuration());
}

void Server::SetServing(bool serving) {
  server_->GetHealthCheckService()->SetServingStatus(serving);
}

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  return server_->InProcessChannel(grpc::ChannelArguments());
}

void Server::Stop(absl::Duration timeout) {
  server_->GetHealthCheckService()->Shutdown();
  server_->Shutdown(absl::ToChronoTime(ReadClock().wall + timeout));
  server_->Wait();
}

}  // namespace xebec::rpc
