// SPDX-License-Identifier: Apache-2.0
#include "applier/service/wiring.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "applier/service/api_link.h"
#include "applier/service/applier_service.h"
#include "applier/service/dispatch_loop.h"
#include "applier/service/loop_metrics.h"
#include "applier/service/plan_observer.h"
#include "common/base/strings.h"
#include "common/http/rest_client_metrics.h"
#include "common/rpc/telemetry/grpc_log.h"
#include "common/rpc/tls/certificate_watch.h"
#include "common/service/server_host.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"

namespace xebec::applier {
namespace {

using telemetry::Level;

std::string HostName() {
  std::array<char, 129> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "xebec-applier";
  return name.data();
}

http::ApiClientOptions ClientOptions(const Settings& settings, telemetry::Registry* registry) {
  http::ApiClientOptions options;
  options.request_timeout = settings.request_timeout;
  options.user_agent = absl::StrCat("xebec-applier/", telemetry::Version());
  options.observer = http::RestClientObserver(registry);
  options.gather_under_load = true;
  return options;
}

/// The parts of an applier process. Each part depends only on parts above it.
class Applier {
 public:
  Applier(const Settings& settings, DispatcherOptions options, kube::ClusterAccess access)
      : settings_(settings),
        cluster_(access.config.origin),
        server_name_(access.config.server),
        certificate_(settings.tls.files, &registry_),
        observer_(&registry_),
        metrics_(&registry_),
        link_(std::move(access), ClientOptions(settings, &registry_)),
        loop_(
            std::move(options),
            [this](kube::ApiRequest request, std::function<void(kube::ApiResponse)> done) {
              link_.Send(std::move(request), std::move(done));
            },
            [this](const PlanEnded& ended) { observer_.OnEnded(ended); }),
        service_(&loop_),
        host_(settings_, &registry_, &certificate_) {}

  /// Ensures that nothing is in flight when the parts are destroyed.
  ~Applier() {
    host_.Close();
    link_.Cut();
    loop_.Stop();
  }

  absl::Status Start() {
    registry_.AddProcessMetrics("applier", telemetry::Version());
    absl::Status started = host_.Start(
        host_.OptionsOf(rpc::ApplierAccess(settings_.tls.callers)), {&service_},
        {{"api-server", [this] { return loop_.Problem(); }}}, [this] { metrics_.Update(loop_); });
    if (!started.ok()) return started;
    telemetry::Log(Level::kInfo, "process", "Started",
                   {{"version", telemetry::Version()},
                    {"listen", host_.addresses()},
                    {"metricsPort", host_.metrics_port()},
                    {"cluster", cluster_},
                    {"server", server_name_}});
    if (settings_.allow.empty()) {
      telemetry::Log(Level::kInfo, "process", "No allow-list is set: RBAC alone limits the writes");
    }
    return absl::OkStatus();
  }

  void Stop(const std::string& reason) {
    const absl::Duration until = host_.BeginDrain(reason);
    service_.BeginDrain();
    loop_.Drain(settings_.drain_timeout * 3 / 4);
    link_.Cut();  // Requests that are still in flight are reported as unknown.
    service_.Drain(service::TimeLeft(until));
    host_.FinishDrain(until);
  }

 private:
  const Settings settings_;
  const std::string cluster_;
  const std::string server_name_;
  telemetry::Registry registry_;
  rpc::CertificateWatch certificate_;
  PlanObserver observer_;
  LoopMetrics metrics_;
  ApiLink link_;
  DispatchLoop loop_;
  ApplierServiceImpl service_;
  service::ServerHost host_;
};

}  // namespace

absl::Status RunApplier(const Settings& settings,
                        const std::function<std::string()>& wait_for_stop) {
  rpc::LogWhatGrpcSays();
  if (absl::Status tls = rpc::ValidateTls(settings.tls); !tls.ok()) return tls;
  absl::StatusOr<DispatcherOptions> options = Resolve(settings);
  if (!options.ok()) return options.status();
  options->events.instance = HostName();
  absl::StatusOr<kube::ClusterAccess> access =
      kube::LoadClusterAccess(settings.kubeconfig, settings.context);
  if (!access.ok()) return access.status();
  Applier applier(settings, *std::move(options), *std::move(access));
  if (absl::Status started = applier.Start(); !started.ok()) return started;
  applier.Stop(wait_for_stop());
  return absl::OkStatus();
}

}  // namespace xebec::applier
