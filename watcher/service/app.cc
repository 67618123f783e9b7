// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/app.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/overloaded.h"
#include "common/base/thread.h"
#include "common/http/rest_client_metrics.h"
#include "common/rpc/streams/stream_loop.h"
#include "common/rpc/telemetry/metrics_observer.h"
#include "common/rpc/tls/tls_credentials.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"

namespace xebec::watcher {
namespace {

/// The attempts to renew the Lease that a holder has before the renew deadline.
constexpr int kLeaseTries = 3;
constexpr absl::Duration kJoinCheckInterval = absl::Milliseconds(100);
// Of the drain timeout, this part is for others to prepare; the rest is for the last reconciles.
constexpr double kMovePart = 0.5;
// The gateway answers within the timeout of a call; this is for its answer to arrive.
constexpr absl::Duration kGatewayGrace = absl::Seconds(2);

http::ApiClientOptions ClientOptions(const Settings& settings, telemetry::Registry* registry) {
  http::ApiClientOptions options;
  options.request_timeout = settings.engine.request_timeout;
  options.user_agent = absl::StrCat("xebec-watcher/", telemetry::Version());
  options.observer = http::RestClientObserver(registry);
  options.gather_under_load = true;
  return options;
}

rpc::StreamOptions Streams(const Settings& settings, const std::string& name,
                           const std::string& target, std::shared_ptr<rpc::StreamLoop> loop,
                           telemetry::Registry* registry) {
  rpc::StreamOptions options;
  options.loop = std::move(loop);
  options.name = name;
  options.target = target;
  options.streams_per_address = settings.streams_per_address;
  options.max_age = settings.stream_max_age;
  if (settings.tls.files.Any())
    options.credentials = rpc::TlsChannelCredentials(settings.tls.files);
  options.observer = rpc::MetricsObserver(registry);
  telemetry::Counter ejections = registry->AddCounter(
      "xebec_peer_ejections_total", "Ejections of peers that refused all requests, by service.",
      {{"service", name}});
  options.on_note = [ejections](const rpc::StreamNote& note) mutable {
    if (note.what == rpc::kPeerEjected) ejections.Add();
    telemetry::Log(note.warning ? telemetry::Level::kWarning : telemetry::Level::kInfo, "streams",
                   note.what, {{"address", note.address}, {"detail", note.detail}});
  };
  return options;
}

Engine MakeEngine(const Settings& settings, const Identity& identity) {
  Options options = settings.engine;
  options.address = AdvertisedAddress(settings);
  options.hooks = !settings.hook_gateway.empty();
  options.instance = identity.instance;
  options.move_timeout = settings.drain_timeout * kMovePart;
  return Engine(std::move(options), identity.name);
}

}  // namespace

absl::StatusOr<std::unique_ptr<App>> App::Make(const Settings& settings,
                                               telemetry::Registry* registry) {
  absl::StatusOr<kube::ClusterAccess> access =
      kube::LoadClusterAccess(settings.kubeconfig, settings.context);
  if (!access.ok()) return access.status();
  return std::unique_ptr<App>(new App(settings, *std::move(access), registry));
}

App::App(const Settings& settings, kube::ClusterAccess access, telemetry::Registry* registry)
    : settings_(settings),
      identity_(FreshIdentity(settings.lease_instance)),
      queue_({.items = settings.queue, .bytes = settings.queue_bytes}),
      client_(std::move(access), ClientOptions(settings, registry)),
      gateway_(&client_, &queue_),
      loop_(MakeEngine(settings, identity_), &queue_,
            [this](Output output) { Carry(std::move(output)); }) {
  leases_ = std::make_shared<LeaseGateway>(
      settings.lease,
      std::min(settings.engine.request_timeout, settings.engine.renew_deadline / kLeaseTries),
      &client_, &queue_,
      [this](absl::Duration delay, Task task) { loop_.Later(delay, std::move(task)); });
}

absl::Status App::Start(telemetry::Registry* registry, std::function<std::string()> unfit,
                        PeerCalls* peers) {
  objects_.emplace(peers, &queue_);
  const auto loop = std::make_shared<rpc::StreamLoop>();
  auto planner = rpc::PlannerStreams::Start(
      Streams(settings_, "planner", settings_.planner, loop, registry), PlannerEvents());
  if (!planner.ok()) return planner.status();
  planner_ = *std::move(planner);
  auto applier = rpc::ApplierStreams::Start(
      Streams(settings_, "applier", settings_.applier, loop, registry), ApplierEvents());
  if (!applier.ok()) return applier.status();
  applier_ = *std::move(applier);
  if (!settings_.hook_gateway.empty()) {
    auto hooks = rpc::HookStreams::Start(
        Streams(settings_, "hooks", settings_.hook_gateway, loop, registry), HookEvents());
    if (!hooks.ok()) return hooks.status();
    hooks_ = *std::move(hooks);
  }
  unfit_ = std::move(unfit);
  if (settings_.engine.leader_election) {
    queue_.Push(Task([this] {
      leases_->Start();
      JoinOnceFit();
    }));
  }
  thread_ = std::jthread([this] {
    NameThisThread("engine");
    loop_.Run();
  });
  return absl::OkStatus();
}

/// Takes part in the distribution of the buckets, once the watcher is able to work.
void App::JoinOnceFit() {
  if (!unfit_().empty()) return loop_.Later(kJoinCheckInterval, [this] { JoinOnceFit(); });
  queue_.PushNow(Input(Join{}));
}

App::~App() {
  if (thread_.joinable()) {
    queue_.Push(Task([this] { loop_.Quit(); }));
    thread_.join();
  }
  queue_.CloseAndClear();
  leases_->Stop();
}

void App::Stop() {
  queue_.Push(Input(watcher::Stop{}));
  queue_.Push(Task([this] { loop_.Later(settings_.drain_timeout, [this] { loop_.Quit(); }); }));
  thread_.join();
}

void App::UpdateCredits(uint32_t CreditsChanged::*side, uint32_t credits) {
  credits_.*side = credits;
  queue_.Push(Input(credits_));
}

rpc::PlannerCallbacks App::PlannerEvents() {
  return {
      .on_plan =
          [this](uint64_t sequence, Plan plan) {
            queue_.Push(Input(PlanArrived{sequence, std::move(plan)}));
          },
      .on_failed =
          [this](uint64_t sequence, std::string message, bool unreadable) {
            queue_.Push(Input(PlanFailed{sequence, std::move(message), unreadable}));
          },
      .on_credits = [this](uint32_t credits) { UpdateCredits(&CreditsChanged::planner, credits); },
      .on_description =
          [this](PlannerDescription description, const std::string&) {
            queue_.Push(Input(DescriptionArrived{std::move(description)}));
          },
  };
}

rpc::ApplierCallbacks App::ApplierEvents() {
  return {
      .on_report =
          [this](uint64_t sequence, xebec::Report report) {
            queue_.Push(Input(ReportArrived{sequence, std::move(report)}));
          },
      .on_unreadable =
          [this](uint64_t sequence, std::string message) {
            queue_.Push(Input(PlanUnreadable{sequence, std::move(message)}));
          },
      .on_lost = [this](uint64_t sequence) { queue_.Push(Input(ReportLost{sequence})); },
      .on_credits = [this](uint32_t credits) { UpdateCredits(&CreditsChanged::applier, credits); },
  };
}

rpc::HookCallbacks App::HookEvents() {
  return {
      .on_reply =
          [this](uint64_t sequence, HookReply reply) {
            queue_.Push(Input(HookAnswered{sequence, std::move(reply)}));
          },
      .on_credits = [this](uint32_t credits) { UpdateCredits(&CreditsChanged::hooks, credits); },
  };
}

void App::Carry(Output output) {
  std::visit(Overloaded{[this](SendObservation& send) {
                          planner_->Send(send.sequence, std::move(send.observation), send.timeout);
                        },
                        [this](SendPlan& send) {
                          applier_->Send(send.sequence, std::move(send.plan), send.timeout);
                        },
                        [this](CallHook& call) {
                          const absl::Duration timeout = call.call.timeout + kGatewayGrace;
                          hooks_->Send(call.sequence, std::move(call.call), timeout);
                        },
                        [this](const WriteLease& request) { leases_->Do(request); },
                        [this](const StartList& request) {
                          request.from.empty() ? gateway_.Do(request) : objects_->Do(request);
                        },
                        [this](const Note& note) { Report(note); }, [](const Drained&) {},
                        [this](const auto& request) { gateway_.Do(request); }},
             output);
}

void App::Report(const Note& note) {
  const auto level = static_cast<telemetry::Level>(note.level);
  if (telemetry::LogEnabled(level)) {
    const std::string object = note.ref ? Describe(*note.ref) : "";
    telemetry::Log(
        level, "engine", note.what,
        {{"object", object}, {"detail", note.detail}, {"reconcileID", note.reconcile_id}});
  }
  feed_.Publish({ReadClock().wall, note.ref, note.what, note.detail});
}

}  // namespace xebec::watcher
