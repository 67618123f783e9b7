// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/telemetry/metrics.h"

namespace xebec::telemetry {

/// Named checks; each returns "" when it is fine, else what is wrong. Called from the endpoint's
/// threads.
using Checks = std::map<std::string, std::function<std::string()>>;

/// Answers /metrics, /livez, /readyz and /healthz (the same as /livez) in Kubernetes' format: "ok",
/// or 500 with the failing checks; ?verbose lists all, ?exclude=NAME (repeatable) leaves some out,
/// /readyz/NAME asks one.
class HttpEndpoint {
 public:
  /// Listens on "host:port" ("127.0.0.1:8081", "[::]:8081"; port 0: any free one). `before_scrape`
  /// may be empty; it runs before each scrape, to bring metrics up to date. INVALID_ARGUMENT for an
  /// address that cannot be read, UNAVAILABLE when it cannot be listened on; both name it.
  static absl::StatusOr<std::unique_ptr<HttpEndpoint>> Start(
      const std::string& listen, Registry* registry, Checks live, Checks ready,
      std::function<void()> before_scrape = {});
  ~HttpEndpoint();

  /// The port that is really listened on.
  int port() const;

 private:
  class Impl;
  explicit HttpEndpoint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Splits "host:port" or "[v6]:port". INVALID_ARGUMENT names what is wrong.
absl::StatusOr<std::pair<std::string, int>> ParseHostPort(const std::string& address);

/// The answer to a health question: HTTP status and body. `path` is what follows "/livez", e.g. ""
/// or "/ping". Valid UTF-8, whatever a check quotes.
std::pair<int, std::string> AnswerHealth(const Checks& checks, const std::string& name,
                                         const std::string& path, bool verbose,
                                         const std::vector<std::string>& exclude);

}  // namespace xebec::telemetry
