// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/app.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/http/rest_client_metrics.h"
#include "common/rpc/metrics_observer.h"
#include "common/rpc/tls_credentials.h"
#include "common/telemetry/log.h"
#include "common/telemetry/process.h"
#include "watcher/service/identity.h"

namespace xebec::watcher {
namespace {

/// Attempts to renew the Lease that a holder has time for.
constexpr int kLeaseTries = 3;
constexpr absl::Duration kLookAgain = absl::Seconds(1);

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

http::ApiClientOptions ClientOptions(const Settings& settings, telemetry::Registry* registry) {
  http::ApiClientOptions options;
  options.request_timeout = settings.engine.request_timeout;
  options.user_agent = absl::StrCat("xebec-watcher/", telemetry::Version());
  options.observer = http::RestClientObserver(registry);
  return options;
}

rpc::LaneOptions Lanes(const Settings& settings, const std::string& name, const std::string& target,
                       telemetry::Registry* registry) {
  rpc::LaneOptions options;
  options.name = name;
  options.target = target;
  options.lanes_per_address = settings.lanes_per_address;
  options.max_age = settings.lane_max_age;
  if (settings.tls.files.Any())
    options.credentials = rpc::TlsChannelCredentials(settings.tls.files);
  options.observer = rpc::MetricsObserver(registry);
  options.on_note = [](const rpc::LaneNote& note) {
    telemetry::Log(note.warning ? telemetry::Level::kWarning : telemetry::Level::kInfo, "lanes",
                   note.what, {{"address", note.address}, {"detail", note.detail}});
  };
  return options;
}

Engine MakeEngine(const Settings& settings) {
  const Identity identity = FreshIdentity(settings.lease_instance);
  Options options = settings.engine;
  options.instance = identity.instance;
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
      mailbox_(settings.mailbox),
      client_(std::move(access), ClientOptions(settings, registry)),
      gateway_(&client_, &mailbox_),
      loop_(MakeEngine(settings), &mailbox_, [this](Output output) { Carry(std::move(output)); }) {
  for (uint32_t bucket = 0; bucket < settings.engine.buckets; ++bucket) {
    leases_.push_back(std::make_shared<LeaseGateway>(
        bucket, settings.lease,
        std::min(settings.engine.request_timeout, settings.engine.renew_deadline / kLeaseTries),
        &client_, &mailbox_,
        [this](absl::Duration delay, Task task) { loop_.Later(delay, std::move(task)); }));
  }
}

absl::Status App::Start(telemetry::Registry* registry, std::function<std::string()> unfit) {
  auto planner = rpc::PlannerLanes::Start(Lanes(settings_, "planner", settings_.planner, registry),
                                          PlannerEvents());
  if (!planner.ok()) return planner.status();
  planner_ = *std::move(planner);
  auto applier = rpc::ApplierLanes::Start(Lanes(settings_, "applier", settings_.applier, registry),
                                          ApplierEvents());
  if (!applier.ok()) return applier.status();
  applier_ = *std::move(applier);
  unfit_ = std::move(unfit);
  if (settings_.engine.leader_election) mailbox_.Post(Task([this] { Stand(); }));
  thread_ = std::jthread([this] { loop_.Run(); });
  return absl::OkStatus();
}

/// For election, once it could do the work.
void App::Stand() {
  if (!unfit_().empty()) return loop_.Later(kLookAgain, [this] { Stand(); });
  for (const auto& lease : leases_) lease->Start();
}

App::~App() {
  if (thread_.joinable()) {
    mailbox_.Post(Task([this] { loop_.Quit(); }));
    thread_.join();
  }
  mailbox_.Close();
  for (const auto& lease : leases_) lease->Stop();
}

void App::Stop() {
  mailbox_.Post(Input(watcher::Stop{}));
  mailbox_.Post(Task([this] { loop_.Later(settings_.drain_timeout, [this] { loop_.Quit(); }); }));
  thread_.join();
}

void App::Capacity(uint32_t CreditsChanged::*side, uint32_t slots) {
  MutexLock lock(&capacity_mu_);  // also while posting: the newest value is posted last
  capacity_.*side = slots;
  mailbox_.Post(Input(capacity_));
}

rpc::PlannerCallbacks App::PlannerEvents() {
  return {
      .on_plan =
          [this](uint64_t sequence, Plan plan) {
            mailbox_.Post(Input(PlanArrived{sequence, std::move(plan)}));
          },
      .on_failed =
          [this](uint64_t sequence, std::string message, bool unreadable) {
            mailbox_.Post(Input(PlanFailed{sequence, std::move(message), unreadable}));
          },
      .on_capacity = [this](uint32_t slots) { Capacity(&CreditsChanged::planner, slots); },
      .on_description =
          [this](PlannerDescription description, const std::string&) {
            mailbox_.Post(Input(DescriptionArrived{std::move(description)}));
          },
  };
}

rpc::ApplierCallbacks App::ApplierEvents() {
  return {
      .on_report =
          [this](uint64_t sequence, xebec::Report report) {
            mailbox_.Post(Input(ReportArrived{sequence, std::move(report)}));
          },
      .on_unreadable =
          [this](uint64_t sequence, std::string message) {
            mailbox_.Post(Input(PlanUnreadable{sequence, std::move(message)}));
          },
      .on_lost = [this](uint64_t sequence) { mailbox_.Post(Input(ReportLost{sequence})); },
      .on_capacity = [this](uint32_t slots) { Capacity(&CreditsChanged::applier, slots); },
  };
}

void App::Carry(Output output) {
  std::visit(Overloaded{[this](SendObservation& send) {
                          planner_->Send(send.sequence, std::move(send.observation), send.timeout);
                        },
                        [this](SendPlan& send) {
                          applier_->Send(send.sequence, std::move(send.plan), send.timeout);
                        },
                        [this](const WriteLease& wish) { leases_.at(wish.bucket)->Do(wish); },
                        [this](const Note& note) { Report(note); }, [](const Drained&) {},
                        [this](const auto& wish) { gateway_.Do(wish); }},
             output);
}

void App::Report(const Note& note) {
  const std::string object = note.ref ? Describe(*note.ref) : "";
  telemetry::Log(static_cast<telemetry::Level>(note.level), "engine", note.what,
                 {{"object", object}, {"detail", note.detail}, {"reconcileID", note.reconcile_id}});
  feed_.Publish({ReadClock().wall, note.ref, note.what, note.detail});
}

}  // namespace xebec::watcher
