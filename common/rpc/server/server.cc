// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/server.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/clock.h"
#include "common/base/thread.h"
#include "common/rpc/millis.h"
#include "common/rpc/server/call_desk.h"
#include "common/rpc/server/health_service.h"
#include "common/rpc/server/listener.h"
#include "common/rpc/server/reflection.h"
#include "common/rpc/server/server_call.h"
#include "common/rpc/timespan.h"
#include "grpcpp/server_builder.h"

namespace xebec::rpc {
namespace {

constexpr int kIdleFactor = 8;  // the longest pause of an idle server, in poll intervals
constexpr absl::Duration kFollowed = absl::Milliseconds(10);  // without an event, a follower leaves

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
}

void Append(Service* service, std::vector<Method>* methods) {
  for (Method& method : service->methods()) methods->push_back(std::move(method));
}

}  // namespace

Server::Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<Service*>& services) {
  absl::StatusOr<std::vector<Listener>> listeners =
      MakeListeners(options.listen, options.credentials, options.plaintext_listen);
  if (!listeners.ok()) return listeners.status();
  std::unique_ptr<Server> server(new Server);
  server->OpenDesk(options, services);
  grpc::ServerBuilder builder;
  SetLimits(options, &builder);
  AddListeners(&*listeners, &builder);
  builder.RegisterAsyncGenericService(server->desk_->generic());
  server->queue_ = builder.AddCompletionQueue();
  server->server_ = builder.BuildAndStart();
  const absl::Status bound = CheckBound(*listeners, server->server_ != nullptr);
  if (!bound.ok()) return bound;
  for (const Listener& each : *listeners) server->addresses_.push_back(ListenUri(each));
  for (const Listener& each : *listeners) {
    if (server->port_ == 0 && each.target.path.empty()) server->port_ = each.port;
  }
  server->Run(options);
  return server;
}

void Server::OpenDesk(const ServerOptions& options, const std::vector<Service*>& services) {
  CallDesk::Options desk{.observer = options.observer,
                         .max_calls = static_cast<size_t>(options.max_calls),
                         .max_message_bytes = static_cast<size_t>(options.max_message_bytes)};
  for (Service* service : services) Append(service, &desk.methods);
  std::set<std::string> names = ServiceNames(desk.methods);
  health_ = std::make_unique<HealthService>(names);
  Append(health_.get(), &desk.side_methods);
  if (options.reflection) {
    names.merge(ServiceNames(desk.side_methods));
    reflection_ = std::make_unique<ReflectionService>(std::move(names));
    Append(reflection_.get(), &desk.side_methods);
  }
  desk_ = std::make_unique<CallDesk>(std::move(desk));
}

void Server::Run(const ServerOptions& options) {
  desk_->Begin(queue_.get(), [this] { std::make_shared<ServerCall>(desk_.get())->Await(); });
  for (size_t i = 0; i < options.threads; ++i) {
    threads_.emplace_back([this, i, alone = options.threads == 1, name = options.thread_name,
                           interval = options.poll_interval] {
      NameThisThread(name);
      if (interval > absl::ZeroDuration()) return ServePolled(interval);
      if (alone) return ServeAlone();
      i == 0 ? Lead() : Follow();
    });
  }
}

void Server::ServeAlone() {
  Completion event;
  while (queue_->Next(&event.tag, &event.ok)) ServerCall::OnEvent(event.tag, event.ok);
}

void Server::Lead() { ServeUntilQuiet(absl::InfiniteDuration()); }

void Server::Follow() {
  while (followers_.AwaitCall()) ServeUntilQuiet(kFollowed);
}

void Server::ServeUntilQuiet(absl::Duration quiet) {
  using grpc::CompletionQueue;
  BusyStreak busy;
  Completion event;
  for (;;) {
    followers_.BeginWait();
    auto next = queue_->AsyncNext(&event.tag, &event.ok, gpr_time_0(GPR_CLOCK_MONOTONIC));
    const bool waited = next == CompletionQueue::TIMEOUT;
    if (waited) next = queue_->AsyncNext(&event.tag, &event.ok, Timespan(quiet));
    followers_.EndWait();
    if (next == CompletionQueue::TIMEOUT && !followers_.AnyWaits()) continue;
    if (next != CompletionQueue::GOT_EVENT) return;
    if (busy.Next(waited)) followers_.Call();
    ServerCall::OnEvent(event.tag, event.ok);
  }
}

void Server::ServePolled(absl::Duration poll_interval) {
  Completion event;
  while (Poll(poll_interval, &event)) ServerCall::OnEvent(event.tag, event.ok);
}

bool Server::Poll(absl::Duration interval, Completion* event) {
  using grpc::CompletionQueue;
  MutexLock turn(&polling_);
  for (absl::Duration pause = interval;; pause = std::min(pause * 2, interval * kIdleFactor)) {
    const auto next = queue_->AsyncNext(&event->tag, &event->ok, gpr_time_0(GPR_CLOCK_MONOTONIC));
    if (next != CompletionQueue::TIMEOUT) return next == CompletionQueue::GOT_EVENT;
    MutexLock lock(&mu_);
    stopped_.WaitFor(&mu_, pause);
  }
}

Server::~Server() { Stop(absl::ZeroDuration()); }

void Server::SetServing(bool serving) { health_->SetServing(serving); }

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  return server_->InProcessChannel(grpc::ChannelArguments());
}

void Server::Stop(absl::Duration timeout) {
  if (threads_.empty()) return;
  health_->SetServing(false);
  desk_->EndHeldCalls();  // after the health, which the watchers of the health get first
  server_->Shutdown(absl::ToChronoTime(ReadClock().wall + timeout));
  server_->Wait();
  desk_->AwaitQuiet();
  queue_->Shutdown();
  followers_.Dismiss();
  stopped_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace xebec::rpc
