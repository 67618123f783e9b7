// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "grpcpp/impl/server_builder_option.h"

namespace xebec::rpc {

/// Gives a server grpc.reflection.v1 and v1alpha, which list its services and describe them with
/// their comments. gRPC's own plugin knows neither v1 nor comments: generated code has none.
/// https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
std::unique_ptr<grpc::ServerBuilderOption> Reflection();

}  // namespace xebec::rpc
