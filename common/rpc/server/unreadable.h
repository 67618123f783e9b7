// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "grpcpp/support/server_interceptor.h"

namespace xebec::rpc {

/// Returns an interceptor for unary requests that cannot be decoded. gRPC answers them with
/// INTERNAL and without a message; the interceptor makes it INVALID_ARGUMENT with the reason.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> ExplainUnreadable();

}  // namespace xebec::rpc
