// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "grpcpp/support/server_interceptor.h"

namespace xebec::rpc {

/// gRPC answers a unary request that it cannot decode with INTERNAL and no word; this makes it an
/// INVALID_ARGUMENT that says what is wrong.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> ExplainUnreadable();

}  // namespace xebec::rpc
