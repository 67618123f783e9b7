// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "grpcpp/client_context.h"
#include "grpcpp/server_context.h"

/// The only place where client contexts are made: every call has a deadline or is a named long
/// stream.
namespace xebec::rpc {

/// Metadata key that carries Envelope::pass_id.
inline constexpr char kPassIdKey[] = "xebec-pass-id";
/// Metadata key that carries the name of a long stream.
inline constexpr char kStreamKey[] = "xebec-stream";

/// For a unary call that may take `timeout`. An empty `pass_id` is not sent; characters that
/// metadata may not carry are left out.
std::unique_ptr<grpc::ClientContext> MakeCallContext(absl::Duration timeout,
                                                     std::string_view pass_id);

/// For a stream without a deadline, whose owner bounds its age and detects a dead peer itself.
std::unique_ptr<grpc::ClientContext> MakeStreamContext(std::string_view name);

/// The caller's pass id; empty when it sent none.
std::string PassIdOf(const grpc::ServerContext& context);
/// The caller's name for its long stream; empty when it sent none.
std::string StreamNameOf(const grpc::ServerContext& context);

}  // namespace xebec::rpc
