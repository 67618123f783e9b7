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

/// Checks by name. Each returns "" when it passes, else the problem. They run on threads of the
/// endpoint.
using Checks = std::map<std::string, std::function<std::string()>>;

/// Serves /metrics, /livez, /readyz and /healthz (the same as /livez) in Kubernetes' format: "ok",
/// or 500 with the failed checks. ?verbose lists all checks, ?exclude=NAME (repeatable) skips one,
/// and /readyz/NAME runs one. Liveness, readiness and metrics have a thread each, so that a slow
/// scrape delays no probe; HttpServer says how clients are bounded.
class HttpEndpoint {
 public:
  /// Listens on "host:port" ("127.0.0.1:8081", "[::]:8081"; port 0: any free one). `before_scrape`
  /// may be empty; it runs before each scrape, to bring metrics up to date. INVALID_ARGUMENT for an
  /// address that cannot be read, UNAVAILABLE when it cannot be listened on; both name it.
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

/// Splits "host:port" or "[v6]:port". INVALID_ARGUMENT names what is wrong.
absl::StatusOr<std::pair<std::string, int>> ParseHostPort(const std::string& address);

/// The answer to a health question: HTTP status and body. `path` is what follows "/livez", e.g. ""
/// or "/ping". Valid UTF-8, whatever a check quotes.
std::pair<int, std::string> AnswerHealth(const Checks& checks, const std::string& name,
                                         const std::string& path, bool verbose,
                                         const std::vector<std::string>& exclude);

}  // namespace xebec::telemetry
