// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http_endpoint.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/telemetry/http/server.h"

namespace xebec::telemetry {
namespace {

constexpr int kMaxPort = 65535;
/// The limit of concurrent scrapes. Each holds a response of up to some hundred kilobytes.
constexpr size_t kMaxScrapes = 8;

/// Returns the part after "/livez" in "/livez/ping"; false if the path belongs to another endpoint.
bool Below(const std::string& path, const std::string& name, std::string* rest) {
  const std::string root = absl::StrCat("/", name);
  if (!absl::StartsWith(path, root)) return false;
  *rest = path.substr(root.size());
  return rest->empty() || (rest->size() > 1 && rest->front() == '/');
}

/// Health checks under one or more names.
HttpHandler HealthHandler(const std::vector<std::string>& names, Checks checks,
                          size_t max_requests) {
  HttpHandler handler;
  handler.thread_name = names.front();
  handler.max_requests = max_requests;
  handler.matches = [names](const HttpRequest& request) {
    std::string rest;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return Below(request.path, name, &rest); });
  };
  handler.answer = [names, checks = std::move(checks)](const HttpRequest& request) {
    HttpResponse response;
    for (const std::string& name : names) {
      std::string rest;
      if (!Below(request.path, name, &rest)) continue;
      std::tie(response.status, response.body) =
          AnswerHealth(checks, name, rest, request.Has("verbose"), request.Values("exclude"));
    }
    return response;
  };
  return handler;
}

HttpHandler MetricsHandler(Registry* registry, std::function<void()> before_scrape) {
  HttpHandler handler;
  handler.thread_name = "metrics";
  handler.max_requests = kMaxScrapes;
  handler.matches = [](const HttpRequest& request) { return request.path == "/metrics"; };
  handler.answer = [registry, before_scrape = std::move(before_scrape)](const HttpRequest&) {
    if (before_scrape) before_scrape();
    return HttpResponse{.status = 200,
                        .body = registry->Scrape(),
                        .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  };
  return handler;
}

}  // namespace

HttpEndpoint::HttpEndpoint(std::unique_ptr<HttpServer> server) : server_(std::move(server)) {}
HttpEndpoint::~HttpEndpoint() = default;
int HttpEndpoint::port() const { return server_->port(); }

absl::StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::Start(
    const std::string& listen, Registry* registry, Checks live, Checks ready,
    std::function<void()> before_scrape) {
  const auto address = ParseHostPort(listen);
  if (!address.ok()) return address.status();
  HttpServerOptions options;
  options.host = address->first;
  options.port = address->second;
  std::vector<HttpHandler> handlers;
  handlers.push_back(HealthHandler({"livez", "healthz"}, std::move(live), options.max_connections));
  handlers.push_back(HealthHandler({"readyz"}, std::move(ready), options.max_connections));
  handlers.push_back(MetricsHandler(registry, std::move(before_scrape)));
  auto server = HttpServer::Start(std::move(options), std::move(handlers));
  if (!server.ok()) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", listen, " for metrics and health: ", server.status().message()));
  }
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(*std::move(server)));
}

absl::StatusOr<std::pair<std::string, int>> ParseHostPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = -1;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > kMaxPort) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", address, "\" is not an address such as 127.0.0.1:8080"));
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return std::pair(std::move(host), port);
}

}  // namespace xebec::telemetry
