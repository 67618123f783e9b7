// SPDX-License-Identifier: Apache-2.0
#include "common/service/server_host.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/rpc/telemetry/metrics_observer.h"
#include "common/telemetry/log.h"

namespace xebec::service {
namespace {

using telemetry::Level;

constexpr absl::Duration kLeastTimeout = absl::Milliseconds(100);

}  // namespace

rpc::ServerOptions ServerHost::OptionsOf(rpc::AccessTable access) const {
  rpc::ServerOptions options;
  options.listen = settings_.listen;
  options.credentials =
      rpc::ServerCredentialsOf(certificate_->vetted(), std::move(access), registry_);
  options.reflection = settings_.reflection;
  options.max_connection_age = settings_.max_connection_age;
  options.observer = rpc::MetricsObserver(registry_);
  return options;
}

absl::Status ServerHost::Start(const rpc::ServerOptions& options,
                               const std::vector<rpc::Service*>& services, telemetry::Checks ready,
                               std::function<void()> before_scrape) {
  XEBEC_ASSIGN_OR_RETURN(server_, rpc::Server::Start(options, services));
  const telemetry::Checks live = {{"ping", [] { return std::string(); }}};
  ready["certificate"] = [this] { return certificate_->Problem(); };
  ready["serving"] = [this] { return std::string(draining_ ? "the process is stopping" : ""); };
  XEBEC_ASSIGN_OR_RETURN(
      endpoint_, telemetry::HttpEndpoint::Start(settings_.metrics_listen, registry_, live,
                                                std::move(ready), std::move(before_scrape)));
  server_->SetServing(true);
  return absl::OkStatus();
}

absl::Duration ServerHost::BeginDrain(const std::string& reason) {
  telemetry::Log(Level::kInfo, "process", "Draining", {{"signal", reason}});
  draining_ = true;
  server_->SetServing(false);
  return ReadClock().monotonic + settings_.drain_timeout;
}

void ServerHost::FinishDrain(absl::Duration until) {
  server_->Stop(TimeLeft(until));
  telemetry::Log(Level::kInfo, "process", "Stopped");
}

std::string ServerHost::addresses() const { return absl::StrJoin(server_->addresses(), ","); }

absl::Duration TimeLeft(absl::Duration until) {
  return std::max(until - ReadClock().monotonic, kLeastTimeout);
}

}  // namespace xebec::service
