// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace xebec::rpc {

/// Sends what gRPC itself has to say (errors, unless GRPC_VERBOSITY asks for more) to `sink`
/// instead of standard error. Called from any thread. For main, once.
void SetGrpcLog(std::function<void(bool error, const std::string& message)> sink);

}  // namespace xebec::rpc
