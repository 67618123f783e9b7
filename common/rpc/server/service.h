// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/rpc/server/server_stream.h"

namespace xebec::rpc {

/// Creates the handler of a call. The handler may keep the stream; the server drops the handler
/// after OnDone.
using HandlerFactory =
    std::function<std::shared_ptr<StreamHandler>(std::shared_ptr<ServerStream> stream)>;

/// A method that a server serves.
struct Method {
  std::string path;  ///< "/xebec.v1.PlannerService/Plan".
  std::string type;  ///< In metrics: "unary", "server_stream" or "bidi_stream".
  HandlerFactory open;
};

/// A service of a server: a set of methods.
class Service {
 public:
  virtual ~Service() = default;

  /// Called once, when the server starts. The factories use the service as long as the server runs.
  virtual std::vector<Method> methods() = 0;
};

}  // namespace xebec::rpc
