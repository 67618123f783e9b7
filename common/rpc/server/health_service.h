// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/service.h"
#include "grpc/health/v1/health.pb.h"

namespace xebec::rpc {

/// Serves grpc.health.v1 with one health for the server and all its services. gRPC's own service
/// has threads of its own. Thread-safe.
/// https://github.com/grpc/grpc/blob/master/doc/health-checking.md
class HealthService final : public Service {
 public:
  using Status = grpc::health::v1::HealthCheckResponse;

  /// `services` are the names that callers may ask for, besides "".
  explicit HealthService(std::set<std::string> services) : services_(std::move(services)) {}

  std::vector<Method> methods() override;

  /// Changes the health, which is NOT_SERVING at first, and notifies its watchers.
  void SetServing(bool serving) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  class Watch;
  /// Returns SERVICE_UNKNOWN for an unknown name.
  Status HealthOf(const std::string& service) ABSL_LOCKS_EXCLUDED(mu_);

  const std::set<std::string> services_;
  OpenStreams<Watch> watches_;
  Mutex mu_;
  bool serving_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace xebec::rpc
