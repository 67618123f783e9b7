// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/unreadable.h"

#include "grpcpp/support/status.h"

namespace xebec::rpc {
namespace {

using Point = grpc::experimental::InterceptionHookPoints;

constexpr char kWhy[] =
    "the request cannot be decoded: it is not a message of this method, is nested more than 100 "
    "levels "
    "deep, or contains text that is not UTF-8";

class Explainer : public grpc::experimental::Interceptor {
 public:
  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(Point::PRE_SEND_STATUS)) {
      const grpc::Status status = methods->GetSendStatus();
      if (status.error_code() == grpc::StatusCode::INTERNAL && status.error_message().empty()) {
        methods->ModifySendStatus({grpc::StatusCode::INVALID_ARGUMENT, kWhy});
      }
    }
    methods->Proceed();
  }
};

class Factory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo*) override {
    return new Explainer;
  }
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> ExplainUnreadable() {
  return std::make_unique<Factory>();
}

}  // namespace xebec::rpc
