// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/link_target.h"

#include "common/base/status.h"
#include "common/base/strings.h"

namespace xebec::gateway {

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
