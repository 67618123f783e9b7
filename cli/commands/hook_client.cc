// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/hook_client.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/commands/documents.h"
#include "common/base/status.h"
#include "common/tls/certificate.h"
#include "hooks/engine/call_target.h"
#include "planner/core/make_plan.h"

namespace xebec::cli {
namespace {

constexpr char kCredential[] = "flags";

/// The host of the declared hook, which is the name in its certificate.
std::string DeclaredHost(const HookEndpoint& declared) {
  const auto target = gateway::TargetOf(declared, "");
  return target.ok() ? target->host : "";
}

absl::StatusOr<gateway::ClientCertificate> ReadCertificate(const tls::Files& files) {
  if (files.certificate.empty() || files.key.empty()) {
    return absl::InvalidArgumentError("--tls-certificate and --tls-key belong together");
  }
  gateway::ClientCertificate read;
  XEBEC_ASSIGN_OR_RETURN(read.certificate, ReadFile(files.certificate));
  XEBEC_ASSIGN_OR_RETURN(read.key, ReadFile(files.key));
  if (const absl::Status key = tls::CheckKey(read.certificate, read.key); !key.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(files.key, " ", key.message()));
  }
  return read;
}

}  // namespace

absl::Status CheckHookAddress(const std::string& address) {
  HookEndpoint endpoint;
  endpoint.target = address;
  endpoint.protocol = absl::StrContains(address, "/") ? HookProtocol::kHttp : HookProtocol::kGrpc;
  return gateway::TargetOf(endpoint, "").status();
}

absl::StatusOr<HookClient> HookClient::Make(const HookOptions& options,
                                            const Transport& transport) {
  HookClient client;
  client.options_ = options;
  client.plaintext_ = transport.plaintext;
  gateway::CallerOptions caller{.connect_timeout = transport.timeout, .certificate = {}};
  const tls::Files& files = transport.files;
  if (!files.ca.empty()) {
    XEBEC_ASSIGN_OR_RETURN(client.ca_, ReadFile(files.ca));
  }
  if (!files.certificate.empty() || !files.key.empty()) {
    XEBEC_ASSIGN_OR_RETURN(caller.certificate, ReadCertificate(files));
  }
  client.has_certificate_ = caller.certificate.has_value();
  client.caller_ = std::make_unique<gateway::HookCaller>(caller);
  return client;
}

HookEndpoint HookClient::EndpointOf(const HookEndpoint& declared) const {
  HookEndpoint endpoint = declared;
  endpoint.target = options_.address;
  if (plaintext_) endpoint.tls.reset();
  if (plaintext_ || (!endpoint.tls && ca_.empty() && !has_certificate_)) return endpoint;
  if (!endpoint.tls) endpoint.tls.emplace();
  if (!ca_.empty()) endpoint.tls->ca_bundle = ca_;
  std::string& name = endpoint.tls->server_name;
  if (!options_.server_name.empty()) name = options_.server_name;
  if (name.empty() && declared.tls) name = DeclaredHost(declared);
  endpoint.tls->credential = has_certificate_ ? kCredential : "";
  return endpoint;
}

gateway::OpenResult HookClient::Describe(const HookCall& call) {
  return caller_->Describe(call.operator_name, EndpointOf(call.endpoint));
}

HookAnswer HookClient::Answer(const HookRequest& request) {
  HookCall call = request.call;
  call.endpoint = EndpointOf(call.endpoint);
  return {request.digest, caller_->Sync(std::move(call))};
}

Plan HookClient::MakePlan(const planner::KindRegistry& kinds, Observation* observation) {
  Plan plan = planner::MakePlan(*observation, kinds);
  for (size_t round = 0; round < kMaxHookRounds && !plan.hook_requests.empty(); ++round) {
    for (const HookRequest& request : plan.hook_requests) {
      observation->hook_answers.push_back(Answer(request));
    }
    plan = planner::MakePlan(*observation, kinds);
  }
  return plan;
}

}  // namespace xebec::cli
