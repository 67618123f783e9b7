// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "common/rpc/server/service.h"

namespace xebec::rpc {

class ApiFiles;

/// Serves grpc.reflection.v1 and v1alpha, which list and describe the services of a server with
/// their comments. gRPC's own service does not support v1 and has no comments, because generated
/// code has none. https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
class ReflectionService final : public Service {
 public:
  /// `services` are the names of the server's other services.
  explicit ReflectionService(std::set<std::string> services);

  std::vector<Method> methods() override;

 private:
  const std::shared_ptr<const ApiFiles> files_;
  std::set<std::string> services_;
};

}  // namespace xebec::rpc
