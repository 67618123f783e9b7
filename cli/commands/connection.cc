// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/connection.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/codec/codec.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/status_map.h"
#include "common/rpc/tls/tls_credentials.h"
#include "xebec/v1/planner.grpc.pb.h"

namespace xebec::cli {
namespace {

absl::Status With(const std::string& who, const absl::Status& status) {
  return {status.code(), absl::StrCat(who, ": ", status.message())};
}

/// What a command in one of the chart's Pods uses that was told of no certificate; none elsewhere.
tls::Files FilesIn(const std::string& folder) {
  const tls::Files files = {folder + "/tls.crt", folder + "/tls.key", folder + "/ca.crt"};
  std::error_code none;
  return std::filesystem::exists(files.certificate, none) ? files : tls::Files{};
}

/// Who we are, and whom we expect.
struct Identity {
  std::shared_ptr<grpc::ChannelCredentials> credentials;  ///< Null: plaintext.
  std::string own_name;  ///< What a service on loopback proves; empty: the name looked up.
};

absl::StatusOr<Identity> IdentityOf(const Transport& transport) {
  if (transport.plaintext) return Identity{};
  const bool told = transport.files.Any();
  const tls::Files files = told ? transport.files : FilesIn(transport.pod_folder);
  if (!files.Any()) return Identity{};
  XEBEC_ASSIGN_OR_RETURN(const tls::Certificate own, tls::Check(files, ReadClock().wall));
  const bool named = !told && !own.dns_names.empty();
  return Identity{rpc::TlsChannelCredentials(files), named ? own.dns_names.front() : ""};
}

/// Where a service is, and how to connect to it.
struct Service {
  std::string name;
  std::vector<rpc::Target> targets;
  std::string own_name;  ///< As in Identity.
  rpc::ChannelOptions options;
};

absl::StatusOr<Service> ServiceAt(const std::string& name, const std::string& where,
                                  const Transport& transport) {
  XEBEC_ASSIGN_OR_RETURN(const Identity identity, IdentityOf(transport));
  const absl::StatusOr<std::vector<rpc::Target>> targets = rpc::ParseTargets(where);
  if (!targets.ok()) return With(name, targets.status());
  Service service{name, *targets, identity.own_name, {}};
  service.options.credentials = identity.credentials;
  service.options.connect_timeout = transport.timeout;
  return service;
}

absl::Status AddPeers(const Service& service, const rpc::Target& target, std::vector<Peer>* peers) {
  const absl::StatusOr<std::vector<rpc::Address>> addresses = rpc::SystemResolve(target);
  if (!addresses.ok()) return With(service.name, addresses.status());
  if (addresses->empty()) return With(service.name, absl::UnavailableError("no address"));
  for (rpc::Address address : *addresses) {
    if (!service.own_name.empty() && rpc::IsLocal(target)) address.host = service.own_name;
    peers->push_back({absl::StrCat(service.name, " at ", address.uri), address.host,
                      rpc::MakeChannel(address, service.options)});
  }
  return absl::OkStatus();
}

/// Asks the addresses of one target until one answers, and adds what the others said.
absl::Status AskAt(const Service& service, const rpc::Target& target,
                   const std::function<absl::Status(const Peer&)>& call,
                   std::vector<std::string>* said) {
  std::vector<Peer> peers;
  absl::Status answer = AddPeers(service, target, &peers);
  if (!answer.ok()) said->emplace_back(answer.message());
  for (const Peer& peer : peers) {
    answer = call(peer);
    if (answer.ok()) return answer;
    said->emplace_back(Complaint(peer, answer).message());
    if (!IsSilent(answer)) return answer;
  }
  return answer;
}

}  // namespace

bool IsSilent(const absl::Status& answer) {
  return absl::IsUnavailable(answer) || absl::IsDeadlineExceeded(answer);
}

absl::StatusOr<std::vector<Peer>> PeersAt(const std::string& name, const std::string& where,
                                          const Transport& transport) {
  XEBEC_ASSIGN_OR_RETURN(const Service service, ServiceAt(name, where, transport));
  std::vector<Peer> peers;
  for (const rpc::Target& target : service.targets)
    XEBEC_RETURN_IF_ERROR(AddPeers(service, target, &peers));
  return peers;
}

absl::Status Complaint(const Peer& peer, const absl::Status& status) {
  return With(peer.name, rpc::ExplainRefusal(status, peer.host));
}

absl::Status AtFirstThatAnswers(const std::string& name, const std::string& where,
                                const Transport& transport,
                                const std::function<absl::Status(const Peer&)>& call) {
  XEBEC_ASSIGN_OR_RETURN(const Service service, ServiceAt(name, where, transport));
  std::vector<std::string> said;
  absl::Status answer;
  for (const rpc::Target& target : service.targets) {
    answer = AskAt(service, target, call, &said);
    if (answer.ok()) return answer;
    if (!IsSilent(answer)) break;
  }
  return {answer.code(), absl::StrJoin(said, "; ")};
}

absl::StatusOr<Plan> AskPlanner(const Peer& planner, const Observation& observation,
                                absl::Duration timeout) {
  v1::PlanRequest request;
  codec::EncodeObservation(observation, codec::ObjectForm::kJson, request.mutable_observation());
  v1::PlanResponse response;
  const auto context = rpc::MakeCallContext(timeout);
  const auto stub = v1::PlannerService::NewStub(planner.channel);
  XEBEC_RETURN_IF_ERROR(rpc::FromGrpc(stub->Plan(context.get(), request, &response)));
  return codec::DecodePlan(response.plan());
}

}  // namespace xebec::cli
