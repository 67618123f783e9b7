// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/telemetry/client_call.h"

#include "common/base/clock.h"
#include "common/rpc/status_map.h"

namespace xebec::rpc {

ClientCall::ClientCall(const CallObserver& observer, const std::string& service,
                       const std::string& method, const std::string& type)
    : observer_(observer) {
  started_.service = service;
  started_.method = method;
  started_.type = type;
  started_.what = CallEvent::What::kStarted;
  sent_ = received_ = started_;
  sent_.what = CallEvent::What::kMessageSent;
  received_.what = CallEvent::What::kMessageReceived;
}

void ClientCall::Started() {
  begun_ = ReadClock().monotonic;
  Report(started_);
}

void ClientCall::Handled(const grpc::Status& status) const {
  CallEvent event = started_;
  event.what = CallEvent::What::kHandled;
  event.code = CodeName(status);
  event.took = ReadClock().monotonic - begun_;
  Report(event);
}

}  // namespace xebec::rpc
