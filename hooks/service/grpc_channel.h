// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/channel.h"
#include "hooks/engine/ip_address.h"
#include "hooks/service/link_target.h"

namespace xebec::gateway {

/// Resolves the host of a target and returns those addresses that the policy allows. Blocks.
/// UNAVAILABLE if the name does not resolve; PERMISSION_DENIED if no address is allowed.
absl::StatusOr<std::vector<IpAddress>> ResolveAllowed(const EndpointPolicy& policy,
                                                      const CallTarget& target);

/// Returns a channel that connects to these addresses only, one after the other.
std::shared_ptr<grpc::Channel> MakeHookChannel(const LinkTarget& to,
                                               const std::vector<IpAddress>& addresses,
                                               size_t max_answer_bytes,
                                               absl::Duration connect_timeout);

}  // namespace xebec::gateway
