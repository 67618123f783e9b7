// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "absl/time/time.h"

namespace xebec::rpc {

/// Something that happened to a call, for the metrics of the classic gRPC family
/// (grpc_server_started_total, grpc_client_handled_total, ...). Valid during the call of the
/// observer.
struct CallEvent {
  enum class What { kStarted, kMessageSent, kMessageReceived, kHandled };
  What what = What::kStarted;
  bool server = false;  ///< The serving side, else the calling side.
  std::string service;  ///< "xebec.v1.PlannerService".
  std::string method;   ///< "PlanStream".
  std::string type;     ///< "unary", "client_stream", "server_stream", "bidi_stream".
  std::string code;     ///< With kHandled: "OK", "InvalidArgument", ...
  absl::Duration took;  ///< With kHandled.
};

/// Called from gRPC's and the callers' threads; must be thread-safe and short. May be empty.
using CallObserver = std::function<void(const CallEvent&)>;

}  // namespace xebec::rpc
