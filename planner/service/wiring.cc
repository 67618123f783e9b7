// SPDX-License-Identifier: Apache-2.0
#include "planner/service/wiring.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "common/rpc/telemetry/grpc_log.h"
#include "common/rpc/tls/certificate_watch.h"
#include "common/service/server_host.h"
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

/// The parts of a planner process, in the order of their dependencies.
class Planner {
 public:
  Planner(const Settings& settings, const Release& release)
      : settings_(settings),
        certificate_(settings.tls.files, &registry_),
        release_(release),
        metrics_(&registry_, release_.kinds),
        maker_(release_.kinds, PlannerRevision(release_.version, release_.kinds), &metrics_),
        service_(&maker_),
        host_(settings_, &registry_, &certificate_) {}

  absl::Status Start() {
    registry_.AddProcessMetrics("planner", release_.version);
    if (absl::Status started = host_.Start(Server(), {&service_}); !started.ok()) return started;
    telemetry::Log(Level::kInfo, "process", "Started",
                   {{"version", release_.version},
                    {"revision", maker_.revision()},
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
  rpc::ServerOptions Server() const {
    rpc::ServerOptions options = host_.OptionsOf(rpc::PlannerAccess(settings_.tls.callers));
    options.plaintext_listen = settings_.plaintext_listen;
    options.threads = Workers(settings_);
    options.thread_name = "planner";
    return options;
  }

  const Settings settings_;
  telemetry::Registry registry_;
  rpc::CertificateWatch certificate_;
  const Release release_;
  const PlannerMetrics metrics_;
  const PlanMaker maker_;
  PlannerServiceImpl service_;
  service::ServerHost host_;
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
