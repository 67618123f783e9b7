// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "grpcpp/client_context.h"

/// The only place where client contexts are made: every call has a deadline or is a long stream.
namespace xebec::rpc {

/// The context of a unary call that may take `timeout`.
std::unique_ptr<grpc::ClientContext> MakeCallContext(absl::Duration timeout);

/// The context of a stream without a deadline. The owner of the stream bounds its age and detects a
/// dead peer.
std::unique_ptr<grpc::ClientContext> MakeStreamContext();

}  // namespace xebec::rpc
