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
constexpr absl::Duration kPause = absl::Seconds(1);
/// Is in no cluster: nobody carries the plan out.
constexpr char kParent[] =
    R"({"apiVersion":"example.com/v1alpha1","kind":"Iris","metadata":{"name":"check"},)"
    R"("spec":{"replicas":1}})";

using Channel = std::shared_ptr<grpc::Channel>;

absl::Status With(const std::string& who, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(who, ": ", status.message()));
}

/// How many operations the planner wants for a parent that has nothing yet.
absl::StatusOr<size_t> AskForPlan(const Channel& channel, absl::Duration timeout) {
  Observation observation;
  observation.parent = MakeObjectBytes(kParent);
  v1::PlanRequest request;
  codec::EncodeObservation(observation, codec::ObjectForm::kJson, request.mutable_observation());
  v1::PlanResponse response;
  const auto context = rpc::MakeCallContext(timeout, kPassId);
  const auto stub = v1::PlannerService::NewStub(channel);
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

  /// Channels to all addresses of the service, each of which serves.
  absl::StatusOr<std::vector<Channel>> Serving(const std::string& name, const std::string& where) {
    const absl::StatusOr<std::vector<rpc::Target>> targets = rpc::ParseTargets(where);
    if (!targets.ok()) return With(name, targets.status());
    std::vector<Channel> channels;
    for (const rpc::Target& target : *targets) {
      const absl::StatusOr<std::vector<rpc::Address>> addresses = rpc::SystemResolve(target);
      if (!addresses.ok()) return With(name, addresses.status());
      for (const rpc::Address& address : *addresses) {
        channels.push_back(rpc::MakeChannel(address, options_));
        const absl::Status health = rpc::CheckHealth(channels.back(), settings_.timeout);
        if (!health.ok()) return With(absl::StrCat(name, " at ", address.uri), health);
      }
    }
    if (channels.empty()) return absl::UnavailableError(absl::StrCat(name, ": no address"));
    absl::StrAppend(&found_, found_.empty() ? "" : ", ", name, " (", channels.size(), ")");
    return channels;
  }

  const std::string& found() const { return found_; }

 private:
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
  size_t operations = 0;
  for (const Channel& planner : *planners) {
    const absl::StatusOr<size_t> planned = AskForPlan(planner, settings.timeout);
    if (!planned.ok()) return With("planner", planned.status());
    operations = *planned;
  }
  return absl::StrCat(checker.found(), " serve; a new Iris would get a plan of ", operations,
                      operations == 1 ? " operation" : " operations");
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

absl::StatusOr<std::string> Check(const CheckSettings& settings) {
  const absl::Duration end = ReadClock().monotonic + settings.wait;
  absl::StatusOr<std::string> found = CheckOnce(settings);
  while (!found.ok() && ReadClock().monotonic < end) {
    absl::Notification().WaitForNotificationWithTimeout(kPause);
    found = CheckOnce(settings);
  }
  return found;
}

}  // namespace xebec::watcher
