// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/wiring.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/clock.h"
#include "common/rpc/server/server.h"
#include "common/rpc/telemetry/grpc_log.h"
#include "common/rpc/telemetry/metrics_observer.h"
#include "common/rpc/tls/certificate_watch.h"
#include "common/telemetry/http_endpoint.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "google/protobuf/stubs/logging.h"
#include "hooks/service/gateway_metrics.h"
#include "hooks/service/gateway_service.h"

namespace xebec::gateway {
namespace {

using telemetry::Level;

rpc::ServerOptions ServerOptionsOf(const Settings& settings, const tls::Files& vetted,
                                   telemetry::Registry* registry) {
  rpc::ServerOptions options;
  options.listen = settings.listen;
  options.credentials =
      rpc::ServerCredentialsOf(vetted, rpc::HooksAccess(settings.tls.callers), registry);
  options.reflection = settings.reflection;
  options.max_connection_age = settings.max_connection_age;
  options.observer = rpc::MetricsObserver(registry);
  return options;
}

/// The parts of a gateway process. Each part depends only on parts above it.
class Process {
 public:
  Process(const Settings& settings, LoopOptions options)
      : settings_(settings),
        certificate_(settings.tls.files, &registry_),
        metrics_(&registry_),
        loop_(std::move(options), &metrics_),
        service_(&loop_, settings.credits_per_stream) {}

  absl::Status Start() {
    registry_.AddProcessMetrics("hooks", telemetry::Version());
    auto server = rpc::Server::Start(ServerOptionsOf(settings_, certificate_.vetted(), &registry_),
                                     {&service_});
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    auto endpoint = StartEndpoint();
    if (!endpoint.ok()) return endpoint.status();
    endpoint_ = *std::move(endpoint);
    server_->SetServing(true);
    telemetry::Log(Level::kInfo, "process", "Started",
                   {{"version", telemetry::Version()},
                    {"listen", absl::StrJoin(server_->addresses(), ",")},
                    {"metricsPort", endpoint_->port()}});
    return absl::OkStatus();
  }

  void Stop(const std::string& reason) {
    telemetry::Log(Level::kInfo, "process", "Draining", {{"signal", reason}});
    draining_ = true;
    const absl::Duration until = ReadClock().monotonic + settings_.drain_timeout;
    server_->SetServing(false);
    service_.Drain(settings_.drain_timeout);
    server_->Stop(std::max(until - ReadClock().monotonic, absl::Milliseconds(100)));
    telemetry::Log(Level::kInfo, "process", "Stopped");
  }

 private:
  absl::StatusOr<std::unique_ptr<telemetry::HttpEndpoint>> StartEndpoint() {
    const telemetry::Checks live = {{"ping", [] { return std::string(); }}};
    const telemetry::Checks ready = {
        {"certificate", [this] { return certificate_.Problem(); }},
        {"serving", [this] { return std::string(draining_ ? "the gateway is stopping" : ""); }}};
    return telemetry::HttpEndpoint::Start(settings_.metrics_listen, &registry_, live, ready);
  }

  const Settings settings_;
  telemetry::Registry registry_;
  rpc::CertificateWatch certificate_;
  GatewayMetrics metrics_;
  GatewayLoop loop_;
  GatewayService service_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<telemetry::HttpEndpoint> endpoint_;
};

}  // namespace

std::string ApiServerAddress() {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  return host == nullptr ? "" : host;
}

absl::Status RunGateway(const Settings& settings,
                        const std::function<std::string()>& wait_for_stop) {
  rpc::LogWhatGrpcSays();
  // Protobuf writes a line for each answer with invalid UTF-8; the caller gets the failure.
  google::protobuf::SetLogHandler(nullptr);
  if (absl::Status tls = rpc::ValidateTls(settings.tls); !tls.ok()) return tls;
  absl::StatusOr<LoopOptions> options = Resolve(settings, ApiServerAddress());
  if (!options.ok()) return options.status();
  options->user_agent = absl::StrCat("xebec-hooks/", telemetry::Version());
  Process process(settings, *std::move(options));
  if (absl::Status started = process.Start(); !started.ok()) return started;
  process.Stop(wait_for_stop());
  return absl::OkStatus();
}

}  // namespace xebec::gateway
