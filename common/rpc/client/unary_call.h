// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/channel.h"

namespace xebec::rpc {

/// Makes a unary call without generated code. `method` is the full name
/// ("/package.Service/Method"). `request` and the result are serialized messages. Blocks for at
/// most `timeout`.
absl::StatusOr<std::string> CallUnary(const std::shared_ptr<grpc::Channel>& channel,
                                      const std::string& method, const std::string& request,
                                      absl::Duration timeout);

}  // namespace xebec::rpc
