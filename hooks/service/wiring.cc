// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/wiring.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rpc/telemetry/grpc_log.h"
#include "common/rpc/tls/certificate_watch.h"
#include "common/service/server_host.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "google/protobuf/stubs/logging.h"
#include "hooks/service/gateway_metrics.h"
#include "hooks/service/gateway_service.h"

namespace xebec::gateway {
namespace {

using telemetry::Level;

/// The parts of a gateway process. Each part depends only on parts above it.
class Process {
 public:
  Process(const Settings& settings, LoopOptions options)
      : settings_(settings),
        certificate_(settings.tls.files, &registry_),
        metrics_(&registry_),
        loop_(std::move(options), &metrics_),
        service_(&loop_, settings.credits_per_stream),
        host_(settings_, &registry_, &certificate_) {}

  absl::Status Start() {
    registry_.AddProcessMetrics("hooks", telemetry::Version());
    absl::Status started =
        host_.Start(host_.OptionsOf(rpc::HooksAccess(settings_.tls.callers)), {&service_});
    if (!started.ok()) return started;
    telemetry::Log(Level::kInfo, "process", "Started",
                   {{"version", telemetry::Version()},
                    {"listen", host_.addresses()},
                    {"metricsPort", host_.metrics_port()}});
    return absl::OkStatus();
  }

  void Stop(const std::string& reason) {
    const absl::Duration until = host_.BeginDrain(reason);
    service_.Drain(settings_.drain_timeout);
    host_.FinishDrain(until);
  }

 private:
  const Settings settings_;
  telemetry::Registry registry_;
  rpc::CertificateWatch certificate_;
  GatewayMetrics metrics_;
  GatewayLoop loop_;
  GatewayService service_;
  service::ServerHost host_;
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
