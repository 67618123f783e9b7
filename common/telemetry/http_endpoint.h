// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/telemetry/metrics.h"

namespace xebec::telemetry {

class HttpServer;

/// Health checks by name. A check returns "" if it passes, otherwise the problem. Checks run on
/// threads of the endpoint.
using Checks = std::map<std::string, std::function<std::string()>>;

/// Serves /metrics, /livez, /readyz and /healthz (the same as /livez) in Kubernetes' format: "ok",
/// or 500 with the failed checks. ?verbose lists all checks, ?exclude=NAME (repeatable) skips one,
/// and /readyz/NAME runs one. Liveness, readiness and metrics have a thread each, so that a slow
/// scrape delays no probe; HttpServer says how clients are bounded.
class HttpEndpoint {
 public:
  /// Listens on "host:port" ("127.0.0.1:8081", "[::]:8081"); port 0 selects a free port.
  /// `before_scrape` may be empty; it runs before each scrape and updates metrics. Returns
  /// INVALID_ARGUMENT for a malformed address and UNAVAILABLE if it cannot listen; both name the
  /// address.
  static absl::StatusOr<std::unique_ptr<HttpEndpoint>> Start(
      const std::string& listen, Registry* registry, Checks live, Checks ready,
      std::function<void()> before_scrape = {});
  ~HttpEndpoint();

  /// The port that the endpoint listens on.
  int port() const;

 private:
  explicit HttpEndpoint(std::unique_ptr<HttpServer> server);
  std::unique_ptr<HttpServer> server_;
};

/// Splits "host:port" or "[v6]:port". INVALID_ARGUMENT names the error.
absl::StatusOr<std::pair<std::string, int>> ParseHostPort(const std::string& address);

/// Returns the HTTP status and body of a health request. `path` is the part after "/livez": "" or
/// "/ping". The body is valid UTF-8 even if a check's text is not.
std::pair<int, std::string> AnswerHealth(const Checks& checks, const std::string& name,
                                         const std::string& path, bool verbose,
                                         const std::vector<std::string>& exclude);

}  // namespace xebec::telemetry
