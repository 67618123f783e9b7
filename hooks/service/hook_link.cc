// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/hook_link.h"

#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "hooks/service/grpc_link.h"
#include "hooks/service/http_link.h"

namespace xebec::gateway {

std::shared_ptr<HookLink> MakeLink(const LinkSite& site, const struct Open& open,
                                   LinkEvents events) {
  if (open.endpoint.protocol == HookProtocol::kHttp)
    return std::make_shared<HttpLink>(site, open, std::move(events));
  return std::make_shared<GrpcLink>(site, open, std::move(events));
}

absl::StatusOr<LinkTarget> CheckEndpoint(const LinkSite& site, const HookEndpoint& endpoint) {
  LinkTarget out;
  XEBEC_ASSIGN_OR_RETURN(out.target, TargetOf(endpoint, site.policy->cluster_domain()));
  XEBEC_RETURN_IF_ERROR(site.policy->CheckTarget(out.target));
  if (!endpoint.tls) return out;
  out.ca_pem = endpoint.tls->ca_bundle;
  if (endpoint.tls->credential.empty()) return out;
  XEBEC_ASSIGN_OR_RETURN(out.certificate,
                         site.credentials->Load(endpoint.tls->credential, out.target.host));
  return out;
}

HookFailure FailureOf(const absl::Status& status) {
  const bool unavailable = status.code() == absl::StatusCode::kUnavailable ||
                           status.code() == absl::StatusCode::kFailedPrecondition;
  return {unavailable ? HookFailureCode::kUnavailable : HookFailureCode::kForbidden,
          std::string(ToStd(status.message())),
          {}};
}

}  // namespace xebec::gateway
