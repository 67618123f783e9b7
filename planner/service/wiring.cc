// SPDX-License-Identifier: Apache-2.0
#include "planner/service/wiring.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "absl/strings/str_join.h"
#include "common/base/clock.h"
#include "common/rpc/server/server.h"
#include "common/rpc/telemetry/grpc_log.h"
#include "common/rpc/telemetry/metrics_observer.h"
#include "common/rpc/tls/certificate_watch.h"
#include "common/telemetry/http_endpoint.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "planner/hooks/hook_codec.h"
#include "planner/kinds/built_in.h"
#include "planner/service/planner_service.h"
#include "planner/service/revision.h"

namespace xebec::planner {
namespace {

using telemetry::Level;

size_t Workers(const Settings& settings) {
  if (settings.workers > 0) return settings.workers;
  return std::max(1u, std::thread::hardware_concurrency());
}

rpc::ServerOptions ServerOptionsOf(const Settings& settings, const tls::Files& vetted,
                                   telemetry::Registry* registry) {
  rpc::ServerOptions options;
  options.listen = settings.listen;
  options.plaintext_listen = settings.plaintext_listen;
  options.credentials =
      rpc::ServerCredentialsOf(vetted, rpc::PlannerAccess(settings.tls.callers), registry);
  options.reflection = settings.reflection;
  options.max_connection_age = settings.max_connection_age;
  options.threads = Workers(settings);
  options.thread_name = "planner";
  options.observer = rpc::MetricsObserver(registry);
  return options;
}

/// The parts of a planner process, in the order of their dependencies.
class Planner {
 public:
  Planner(const Settings& settings, const Release& release)
      : settings_(settings),
        certificate_(settings.tls.files, &registry_),
        release_(release),
        metrics_(&registry_, release_.kinds),
        maker_(release_.kinds, PlannerRevision(release_.version, release_.kinds), &metrics_),
        service_(&maker_) {}

  absl::Status Start() {
    registry_.AddProcessMetrics("planner", release_.version);
    auto server = rpc::Server::Start(ServerOptionsOf(settings_, certificate_.vetted(), &registry_),
                                     {&service_});
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    auto endpoint = StartEndpoint();
    if (!endpoint.ok()) return endpoint.status();
    endpoint_ = *std::move(endpoint);
    server_->SetServing(true);
    telemetry::Log(Level::kInfo, "process", "Started",
                   {{"version", release_.version},
                    {"revision", maker_.revision()},
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
        {"serving", [this] { return std::string(draining_ ? "the planner is stopping" : ""); }}};
    return telemetry::HttpEndpoint::Start(settings_.metrics_listen, &registry_, live, ready);
  }

  const Settings settings_;
  telemetry::Registry registry_;
  rpc::CertificateWatch certificate_;
  const Release release_;
  const PlannerMetrics metrics_;
  const PlanMaker maker_;
  PlannerServiceImpl service_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<telemetry::HttpEndpoint> endpoint_;
};

}  // namespace

Release ThisRelease() {
  Release release{telemetry::Version(), BuiltInKinds()};
  release.kinds.SetHookCodec(HooksV1());
  return release;
}

absl::Status RunPlanner(const Settings& settings, const Release& release,
                        const std::function<std::string()>& wait_for_stop) {
  rpc::LogWhatGrpcSays();
  if (absl::Status tls = rpc::ValidateTls(settings.tls); !tls.ok()) return tls;
  Planner planner(settings, release);
  if (absl::Status started = planner.Start(); !started.ok()) return started;
  planner.Stop(wait_for_stop());
  return absl::OkStatus();
}

}  // namespace xebec::planner
