// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/channel.h"

namespace xebec::rpc {

/// Calls grpc.health.v1.Health/Check. Returns OK if the server is serving, UNAVAILABLE if it
/// answers NOT_SERVING, and otherwise the error of the call. Blocks.
absl::Status CheckHealth(const std::shared_ptr<grpc::Channel>& channel, absl::Duration timeout);

}  // namespace xebec::rpc
