// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "grpcpp/client_context.h"

/// Creates client contexts. No other code creates them, so every call has a deadline or is a long
/// stream.
namespace xebec::rpc {

/// Returns the context of a unary call with a deadline `timeout` from now.
std::unique_ptr<grpc::ClientContext> MakeCallContext(absl::Duration timeout);

/// Returns the context of a stream without a deadline. The owner of the stream limits its age and
/// detects a dead peer.
std::unique_ptr<grpc::ClientContext> MakeStreamContext();

}  // namespace xebec::rpc
