// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/rpc/server/server.h"
#include "common/rpc/tls/certificate_watch.h"
#include "common/service/settings.h"
#include "common/telemetry/http_endpoint.h"
#include "common/telemetry/metrics.h"

namespace xebec::service {

/// The gRPC server of a service and its HTTP endpoint for health and metrics.
class ServerHost {
 public:
  /// `registry` and `certificate` must outlive the host.
  ServerHost(const ServerSettings& settings, telemetry::Registry* registry,
             rpc::CertificateWatch* certificate)
      : settings_(settings), registry_(registry), certificate_(certificate) {}

  /// Returns the options of the server. `access` determines which callers may call which methods.
  rpc::ServerOptions OptionsOf(rpc::AccessTable access) const;

  /// Starts the server and the endpoint, and reports that the service is healthy. The service is
  /// ready while its certificate is valid, it is not draining, and the checks `ready` pass.
  /// `before_scrape` may be empty. `services` must outlive the host. Returns the error of the part
  /// that could not be started.
  absl::Status Start(const rpc::ServerOptions& options, const std::vector<rpc::Service*>& services,
                     telemetry::Checks ready = {}, std::function<void()> before_scrape = {});

  /// Reports that the service is not healthy, logs `reason`, and returns the time (of the monotonic
  /// clock) at which draining must be complete. New calls are still accepted.
  absl::Duration BeginDrain(const std::string& reason);
  /// Stops the server at this time, or when its last call ends. Logs that the service has stopped.
  void FinishDrain(absl::Duration until);

  /// Ends all calls at once. For a service whose parts must not be used by calls any more.
  void Close() { server_.reset(); }

  /// The addresses of the gRPC server, joined by commas, for the log.
  std::string addresses() const;
  int metrics_port() const { return endpoint_->port(); }

 private:
  const ServerSettings settings_;
  telemetry::Registry* const registry_;
  rpc::CertificateWatch* const certificate_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<telemetry::HttpEndpoint> endpoint_;
};

/// Returns the time that is left until `until` of the monotonic clock; never less than what a
/// server needs to stop.
absl::Duration TimeLeft(absl::Duration until);

}  // namespace xebec::service
