// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/telemetry/call_metrics.h"

#include <string>
#include <string_view>
#include <utility>

#include "common/base/clock.h"
#include "common/rpc/status_map.h"

namespace xebec::rpc {
namespace {

using Point = grpc::experimental::InterceptionHookPoints;
using Methods = grpc::experimental::InterceptorBatchMethods;

template <typename Type>
std::string TypeName(Type type) {
  if (type == Type::UNARY) return "unary";
  if (type == Type::CLIENT_STREAMING) return "client_stream";
  if (type == Type::SERVER_STREAMING) return "server_stream";
  return "bidi_stream";
}

/// Splits "/xebec.v1.PlannerService/Plan" into service and method.
void SetNames(std::string_view path, CallEvent* event) {
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  const size_t slash = path.find('/');
  event->service = path.substr(0, slash);
  if (slash != std::string_view::npos) event->method = path.substr(slash + 1);
}

class CallInterceptor : public grpc::experimental::Interceptor {
 public:
  CallInterceptor(const CallObserver& observer, CallEvent event)
      : observer_(observer), event_(std::move(event)), begun_(ReadClock().monotonic) {}

  void Intercept(Methods* methods) override {
    if (methods->QueryInterceptionHookPoint(Point::PRE_SEND_MESSAGE)) {
      Notify(CallEvent::What::kMessageSent);
    }
    if (methods->QueryInterceptionHookPoint(Point::POST_RECV_MESSAGE) &&
        methods->GetRecvMessage() != nullptr) {
      Notify(CallEvent::What::kMessageReceived);
    }
    NoteEnd(methods);
    methods->Proceed();
  }

  void Start() { Notify(CallEvent::What::kStarted); }

 private:
  void NoteEnd(Methods* methods) {
    if (methods->QueryInterceptionHookPoint(Point::PRE_SEND_STATUS)) {
      Handled(methods->GetSendStatus());
    }
  }

  void Handled(const grpc::Status& status) {
    event_.code = CodeName(status);
    event_.took = ReadClock().monotonic - begun_;
    Notify(CallEvent::What::kHandled);
  }

  /// A stream notifies from its reader and writer at the same time, each with its own copy of the
  /// event.
  void Notify(CallEvent::What what) {
    CallEvent event = event_;
    event.what = what;
    observer_(event);
  }

  const CallObserver& observer_;
  CallEvent event_;
  const absl::Duration begun_;
};

class ServerFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit ServerFactory(CallObserver observer) : observer_(std::move(observer)) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    CallEvent event;
    event.server = true;
    SetNames(info->method(), &event);
    event.type = TypeName(info->type());
    auto* interceptor = new CallInterceptor(observer_, std::move(event));
    interceptor->Start();
    return interceptor;
  }

 private:
  const CallObserver observer_;
};

}  // namespace

ServerInterceptorList ServerInterceptors(const CallObserver& observer) {
  ServerInterceptorList list;
  list.push_back(std::make_unique<ServerFactory>(observer));
  return list;
}

}  // namespace xebec::rpc
