// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/model/hook.h"
#include "hooks/engine/call_target.h"
#include "hooks/service/credentials.h"
#include "hooks/service/hook_link.h"

namespace xebec::gateway {

/// The target of a link, after the checks that need no address.
struct LinkTarget {
  CallTarget target;
  std::string ca_pem;
  ClientCertificate certificate;  ///< Empty: none.
};
absl::StatusOr<LinkTarget> CheckEndpoint(const LinkSite& site, const HookEndpoint& endpoint);

/// Returns the failure for an error of CheckEndpoint or of EndpointPolicy.
HookFailure FailureOf(const absl::Status& status);

}  // namespace xebec::gateway
