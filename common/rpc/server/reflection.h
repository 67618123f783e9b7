// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "grpcpp/impl/server_builder_option.h"

namespace xebec::rpc {

/// Adds grpc.reflection.v1 and v1alpha to a server. They list and describe its services with their
/// comments. gRPC's own plugin does not support v1 and has no comments, because generated code has
/// none. https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
std::unique_ptr<grpc::ServerBuilderOption> Reflection();

}  // namespace xebec::rpc
