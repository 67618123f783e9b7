// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/process.h"

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
#include "watcher/service/app.h"
#include "watcher/service/ask.h"
#include "watcher/service/engine_metrics.h"
#include "watcher/service/watcher_service.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kServerTimeout = absl::Seconds(1);
/// One serves while the other waits for the engine.
constexpr size_t kServerThreads = 2;
/// Users do not notice it; the streams to planners and appliers do without hand-offs.
constexpr absl::Duration kServerInterval = absl::Milliseconds(20);

telemetry::Checks LiveChecks(MessageQueue* queue) {
  return {{"engine", [queue]() -> std::string {
             const auto answer =
                 Ask<bool>(queue, [](const Engine&, const Instant&) { return true; });
             return answer ? "" : "the engine does not answer";
           }}};
}

/// Returns why the initial lists are incomplete. Shows only the first reasons if there are many.
std::string WhyUnsynced(std::vector<std::string> reasons) {
  constexpr size_t kShown = 3;
  if (reasons.empty()) return "";
  const size_t more = reasons.size() - std::min(reasons.size(), kShown);
  reasons.resize(reasons.size() - more);
  return absl::StrCat("initial lists are not complete: ", absl::StrJoin(reasons, "; "),
                      more > 0 ? absl::StrCat("; and ", more, " more") : "");
}

telemetry::Checks ReadyChecks(MessageQueue* queue, std::function<std::string()> certificate) {
  return {{"certificate", std::move(certificate)},
          {"cache-sync", [queue]() -> std::string {
             auto reasons = Ask<std::vector<std::string>>(
                 queue, [](const Engine& engine, const Instant&) { return engine.Unsynced(); });
             return reasons ? WhyUnsynced(*std::move(reasons)) : "the engine does not answer";
           }}};
}

std::vector<telemetry::Family> TakeFigures(MessageQueue* queue) {
  const auto figures = Ask<EngineFigures>(
      queue, [](const Engine& engine, const Instant& now) { return engine.Figures(now); });
  return figures ? EngineFamilies(*figures) : std::vector<telemetry::Family>();
}

MembersSource MembersOf(MessageQueue* queue) {
  return [queue] {
    return Ask<MembersView>(
        queue, [](const Engine& engine, const Instant& now) { return engine.Members(now); });
  };
}

}  // namespace

absl::Status RunWatcher(const Settings& settings) {
  if (absl::Status tls = rpc::ValidateTls(settings.tls); !tls.ok()) return tls;
  rpc::LogWhatGrpcSays();
  telemetry::Registry registry;
  rpc::CertificateWatch certificate(settings.tls.files, &registry);
  Settings vetted = settings;
  vetted.tls.files = certificate.vetted();
  const auto certificate_problem = [&certificate] { return certificate.Problem(); };
  registry.AddProcessMetrics("watcher", telemetry::Version());
  absl::StatusOr<std::unique_ptr<App>> app = App::Make(vetted, &registry);
  if (!app.ok()) return app.status();
  MessageQueue* const queue = (*app)->queue();
  registry.AddSource([queue] { return TakeFigures(queue); });

  PeerCalls peers({.files = vetted.tls.files, .observer = rpc::MetricsObserver(&registry)});
  WatcherServiceImpl service({.queue = queue,
                              .feed = (*app)->feed(),
                              .calls = &peers,
                              .members = MembersOf(queue),
                              .identity = (*app)->identity()});
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(
      {.listen = {settings.listen},
       .credentials = rpc::ServerCredentialsOf(vetted.tls.files,
                                               rpc::WatcherAccess(settings.tls.callers), &registry),
       .reflection = settings.reflection,
       .threads = kServerThreads,
       .poll_interval = kServerInterval,
       .observer = rpc::MetricsObserver(&registry)},
      {&service});
  if (!server.ok()) return server.status();
  absl::StatusOr<std::unique_ptr<telemetry::HttpEndpoint>> endpoint =
      telemetry::HttpEndpoint::Start(settings.metrics_listen, &registry, LiveChecks(queue),
                                     ReadyChecks(queue, certificate_problem));
  if (!endpoint.ok()) return endpoint.status();
  // Last, so that a watcher that cannot listen never leads.
  if (absl::Status started = (*app)->Start(&registry, certificate_problem, &peers); !started.ok()) {
    return started;
  }
  (*server)->SetServing(true);
  telemetry::Log(telemetry::Level::kInfo, "process", "Started",
                 {{"version", telemetry::Version()},
                  {"listen", (*server)->addresses().front()},
                  {"metricsPort", (*endpoint)->port()}});

  const std::string signal = telemetry::WaitForStopSignal();
  telemetry::Log(telemetry::Level::kInfo, "process", "Draining", {{"signal", signal}});
  service.EndStreams();
  (*app)->Stop();
  peers.Stop();
  (*server)->Stop(kServerTimeout);
  telemetry::Log(telemetry::Level::kInfo, "process", "Stopped");
  return absl::OkStatus();
}

}  // namespace xebec::watcher
