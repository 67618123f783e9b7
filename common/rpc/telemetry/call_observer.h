// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/time/time.h"

namespace xebec::rpc {

/// An event of a call, for the metrics of the classic gRPC family (grpc_server_started_total,
/// grpc_client_handled_total, ...). Valid only while the observer runs.
struct CallEvent {
  enum class What { kStarted, kMessageSent, kMessageReceived, kHandled };
  What what = What::kStarted;
  bool server = false;  ///< True for the server, false for the client.
  std::string service;  ///< "xebec.v1.PlannerService".
  std::string method;   ///< "PlanStream".
  std::string type;     ///< "unary", "client_stream", "server_stream", "bidi_stream".
  std::string code;     ///< Only with kHandled: "OK", "InvalidArgument", ...
  absl::Duration took;  ///< Only with kHandled.
};

/// Called on threads of gRPC and of callers. Must be thread-safe and fast. May be empty.
using CallObserver = std::function<void(const CallEvent&)>;

}  // namespace xebec::rpc
