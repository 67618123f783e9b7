// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http_endpoint.h"

#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "httplib.h"

namespace xebec::telemetry {
namespace {

constexpr int kThreads = 2;
constexpr int kMaxPort = 65535;
constexpr int kRequestSeconds = 5;
constexpr size_t kMaxRequest = 64 * 1024;

/// Instead of httplib's SO_REUSEPORT, with which a second process would take half of the requests
/// unnoticed.
void SetSocketOptions(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

std::vector<std::string> Values(const httplib::Request& request, const std::string& key) {
  std::vector<std::string> values;
  const auto [begin, end] = request.params.equal_range(key);
  for (auto it = begin; it != end; ++it) values.push_back(it->second);
  return values;
}

}  // namespace

class HttpEndpoint::Impl {
 public:
  Impl(Registry* registry, Checks live, Checks ready, std::function<void()> before_scrape)
      : registry_(registry),
        live_(std::move(live)),
        ready_(std::move(ready)),
        before_scrape_(std::move(before_scrape)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_keep_alive_timeout(1);
    server_.set_read_timeout(kRequestSeconds);
    server_.set_write_timeout(kRequestSeconds);
    server_.set_payload_max_length(kMaxRequest);
    server_.set_socket_options(SetSocketOptions);
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      if (before_scrape_) before_scrape_();
      response.set_content(registry_->Scrape(), "text/plain; version=0.0.4; charset=utf-8");
    });
    Route("livez", live_);
    Route("healthz", live_);
    Route("readyz", ready_);
  }

  ~Impl() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool Listen(const std::string& host, int port) {
    port_ =
        port == 0 ? server_.bind_to_any_port(host) : (server_.bind_to_port(host, port) ? port : -1);
    if (port_ < 0) return false;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // stop() before that would be lost
    return true;
  }

  int port() const { return port_; }

 private:
  void Route(const std::string& name, const Checks& checks) {
    server_.Get("/" + name + "(/.+)?", [name, &checks](const httplib::Request& request,
                                                       httplib::Response& response) {
      auto [status, body] = AnswerHealth(checks, name, request.matches[1],
                                         request.has_param("verbose"), Values(request, "exclude"));
      response.status = status;
      response.set_content(body, "text/plain; charset=utf-8");
    });
  }

  Registry* const registry_;
  const Checks live_, ready_;
  const std::function<void()> before_scrape_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

HttpEndpoint::HttpEndpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpEndpoint::~HttpEndpoint() = default;
int HttpEndpoint::port() const { return impl_->port(); }

absl::StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::Start(
    const std::string& listen, Registry* registry, Checks live, Checks ready,
    std::function<void()> before_scrape) {
  const auto address = ParseHostPort(listen);
  if (!address.ok()) return address.status();
  auto impl =
      std::make_unique<Impl>(registry, std::move(live), std::move(ready), std::move(before_scrape));
  if (!impl->Listen(address->first, address->second)) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", listen, " for metrics and health: is the port taken?"));
  }
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(impl)));
}

absl::StatusOr<std::pair<std::string, int>> ParseHostPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = -1;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > kMaxPort) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", address, "\" is no address: write host:port, for example 127.0.0.1:8080"));
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return std::pair(std::move(host), port);
}

}  // namespace xebec::telemetry
