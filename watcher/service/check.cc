// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/check.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/address.h"
#include "common/rpc/channel.h"
#include "common/rpc/context.h"
#include "common/rpc/health.h"
#include "common/rpc/status_map.h"
#include "common/rpc/tls_credentials.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::watcher {
namespace {

constexpr char kPassId[] = "check";
/// Is in no cluster: nobody carries the plan out.
constexpr char kParent[] =
    R"({"apiVersion":"example.com/v1alpha1","kind":"Iris","metadata":{"name":"check"},)"
    R"("spec":{"replicas":1}})";

/// One replica of a service.
struct Peer {
  std::string name;  ///< "planner at ipv4:10.0.0.1:7443"
  std::string host;  ///< As it was looked up.
  std::shared_ptr<grpc::Channel> channel;
};
using Peers = std::vector<Peer>;

absl::Status With(const std::string& who, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(who, ": ", status.message()));
}

/// How many operations the planner wants for a parent that has nothing yet.
absl::StatusOr<size_t> AskForPlan(const Peer& planner, absl::Duration timeout) {
  Observation observation;
  observation.parent = MakeObjectBytes(kParent);
  v1::PlanRequest request;
  codec::EncodeObservation(observation, codec::ObjectForm::kJson, request.mutable_observation());
  v1::PlanResponse response;
  const auto context = rpc::MakeCallContext(timeout, kPassId);
  const auto stub = v1::PlannerService::NewStub(planner.channel);
  const absl::Status status = rpc::FromGrpc(stub->Plan(context.get(), request, &response));
  if (!status.ok()) return status;
  const absl::StatusOr<Plan> plan = codec::DecodePlan(response.plan());
  if (!plan.ok()) return plan.status();
  const size_t operations = CountOperations(*plan);
  if (operations == 0) return absl::InternalError("its plan for a new Iris is empty");
  return operations;
}

class Checker {
 public:
  explicit Checker(const CheckSettings& settings) : settings_(settings) {
    if (settings.tls.files.Any()) {
      options_.credentials = rpc::TlsChannelCredentials(settings.tls.files);
    }
  }

  /// All replicas of the service at `where`, each of which serves.
  absl::StatusOr<Peers> Serving(const std::string& name, const std::string& where) {
    const absl::StatusOr<std::vector<rpc::Target>> targets = rpc::ParseTargets(where);
    if (!targets.ok()) return With(name, targets.status());
    Peers peers;
    for (const rpc::Target& target : *targets) {
      const absl::StatusOr<std::vector<rpc::Address>> addresses = rpc::SystemResolve(target);
      if (!addresses.ok()) return With(name, addresses.status());
      for (const rpc::Address& address : *addresses) {
        peers.push_back({absl::StrCat(name, " at ", address.uri), address.host,
                         rpc::MakeChannel(address, options_)});
        const absl::Status health = rpc::CheckHealth(peers.back().channel, settings_.timeout);
        if (!health.ok()) return Complaint(peers.back(), health);
      }
    }
    if (peers.empty()) return absl::UnavailableError(absl::StrCat(name, ": no address"));
    absl::StrAppend(&found_, found_.empty() ? "" : ", ", name, " (", peers.size(), ")");
    return peers;
  }

  /// How large the plans of all these planners are.
  absl::StatusOr<size_t> Planned(const Peers& planners) const {
    size_t operations = 0;
    for (const Peer& planner : planners) {
      const absl::StatusOr<size_t> planned = AskForPlan(planner, settings_.timeout);
      if (!planned.ok()) return Complaint(planner, planned.status());
      operations = *planned;
    }
    return operations;
  }

  const std::string& found() const { return found_; }

 private:
  static absl::Status Complaint(const Peer& peer, const absl::Status& status) {
    return With(peer.name, rpc::ExplainRefusal(status, peer.host));
  }

  const CheckSettings& settings_;
  rpc::ChannelOptions options_;
  std::string found_;
};

absl::StatusOr<std::string> CheckOnce(const CheckSettings& settings) {
  Checker checker(settings);
  if (!settings.watcher.empty()) {
    const auto watchers = checker.Serving("watcher", settings.watcher);
    if (!watchers.ok()) return watchers.status();
  }
  const auto planners = checker.Serving("planner", settings.planner);
  if (!planners.ok()) return planners.status();
  const auto appliers = checker.Serving("applier", settings.applier);
  if (!appliers.ok()) return appliers.status();
  const absl::StatusOr<size_t> operations = checker.Planned(*planners);
  if (!operations.ok()) return operations.status();
  return absl::StrCat(checker.found(), " serve; a new Iris would get a plan of ", *operations,
                      *operations == 1 ? " operation" : " operations");
}

}  // namespace

void Bind(CheckSettings& settings, config::Binder& binder) {
  binder.Add("watcher", &settings.watcher,
             "watchers to ask: host:port or dns:///host:port; empty: none");
  binder.Add("planner", &settings.planner, "planners to ask");
  binder.Add("applier", &settings.applier, "appliers to ask");
  binder.Add("timeout", &settings.timeout, "of each call", absl::Milliseconds(1));
  binder.Add("wait", &settings.wait, "for how long to try anew while something is wrong");
  rpc::BindTls(settings.tls, binder);
}

absl::Status Validate(const CheckSettings& settings) {
  for (const std::string* where : {&settings.watcher, &settings.planner, &settings.applier}) {
    if (where->empty() && where == &settings.watcher) continue;
    if (const auto targets = rpc::ParseTargets(*where); !targets.ok()) return targets.status();
  }
  return rpc::CheckTls(settings.tls, ReadClock().wall);
}

absl::StatusOr<std::string> Check(const CheckSettings& settings, absl::Duration pause) {
  const absl::Duration end = ReadClock().monotonic + settings.wait;
  absl::StatusOr<std::string> found = CheckOnce(settings);
  while (!found.ok() && ReadClock().monotonic < end) {
    absl::Notification().WaitForNotificationWithTimeout(pause);
    found = CheckOnce(settings);
  }
  return found;
}

}  // namespace xebec::watcher
