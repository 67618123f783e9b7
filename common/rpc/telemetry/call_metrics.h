// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/support/server_interceptor.h"

/// Interceptors of a server that report the events of calls as CallEvents.
namespace xebec::rpc {

using ServerInterceptorList =
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>;

/// For ServerBuilder::experimental().SetInterceptorCreators.
ServerInterceptorList ServerInterceptors(const CallObserver& observer);

}  // namespace xebec::rpc
