// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/support/client_interceptor.h"
#include "grpcpp/support/server_interceptor.h"

/// Interceptors that report the events of calls as CallEvents.
namespace xebec::rpc {

using ClientInterceptorList =
    std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;
using ServerInterceptorList =
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>;

/// For CreateCustomChannelWithInterceptors.
ClientInterceptorList ClientInterceptors(const CallObserver& observer);
/// For ServerBuilder::experimental().SetInterceptorCreators.
ServerInterceptorList ServerInterceptors(const CallObserver& observer);

}  // namespace xebec::rpc
