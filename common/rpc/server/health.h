// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/channel.h"

namespace xebec::rpc {

/// Asks by grpc.health.v1: OK when the other side serves, UNAVAILABLE when it says that it does
/// not, else what went wrong. Blocks.
absl::Status CheckHealth(const std::shared_ptr<grpc::Channel>& channel, absl::Duration timeout);

}  // namespace xebec::rpc
