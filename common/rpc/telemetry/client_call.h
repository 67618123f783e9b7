// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/support/status.h"

namespace xebec::rpc {

/// Reports the events of one call of a client. An interceptor of gRPC could do the same, but gRPC
/// 1.51 passes every operation of a call with interceptors through the completion queue twice.
/// Thread-safe.
class ClientCall {
 public:
  /// `type` is "unary" or "bidi_stream". `observer` must outlive the call and may be empty.
  ClientCall(const CallObserver& observer, const std::string& service, const std::string& method,
             const std::string& type);

  /// The call starts now.
  void Started();
  void Sent() const { Report(sent_); }
  void Received() const { Report(received_); }
  void Handled(const grpc::Status& status) const;

 private:
  void Report(const CallEvent& event) const {
    if (observer_) observer_(event);
  }

  const CallObserver& observer_;
  CallEvent started_, sent_, received_;
  absl::Duration begun_;
};

}  // namespace xebec::rpc
