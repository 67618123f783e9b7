// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "common/base/thread.h"

namespace xebec::telemetry {
namespace {

constexpr int kNotAllowed = 405;
constexpr int kNotFound = 404;
constexpr int kBusy = 503;
/// After it ran out of connections or file descriptors, the server accepts no connection for this
/// time.
constexpr absl::Duration kAcceptPause = absl::Milliseconds(100);
constexpr int kAcceptsPerTurn = 32;
constexpr absl::Duration kLongestSleep = absl::Seconds(60);

int Milliseconds(absl::Duration timeout) {
  const absl::Duration bounded = std::clamp(timeout, absl::ZeroDuration(), kLongestSleep);
  return static_cast<int>(absl::ToInt64Milliseconds(absl::Ceil(bounded, absl::Milliseconds(1))));
}

bool Incomplete(const Connection& connection) {
  return connection.state() == Connection::State::kReading ||
         connection.state() == Connection::State::kLingering;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                              std::vector<HttpHandler> handlers) {
  absl::StatusOr<Listener> listener = Listener::Open(options.host, options.port);
  if (!listener.ok()) return listener.status();
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(options), *std::move(listener), std::move(handlers)));
}

HttpServer::HttpServer(HttpServerOptions options, Listener listener,
                       std::vector<HttpHandler> handlers)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      answers_({.items = options_.max_connections}) {
  for (HttpHandler& handler : handlers) {
    workers_.push_back(std::make_unique<Worker>(std::move(handler)));
    Worker* const worker = workers_.back().get();
    worker->thread = std::thread([this, worker] { Work(worker); });
  }
  thread_ = std::thread([this] { Run(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  Wake();
  thread_.join();
  for (const auto& worker : workers_) worker->jobs.CloseAndClear();
  for (const auto& worker : workers_) worker->thread.join();
  close(wake_fd_);
}

void HttpServer::Wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof(one));
}

void HttpServer::Work(Worker* worker) {
  NameThisThread(worker->handler.thread_name);
  while (const std::optional<Job> job = worker->jobs.Pop()) {
    const HttpResponse response = worker->handler.answer(job->request);
    answers_.PushNow({job->id, Serialize(response, job->request.method == "HEAD")});
    Wake();
  }
}

void HttpServer::Run() {
  NameThisThread("http-endpoint");
  while (!stopping_) Poll();
  connections_.clear();
}

void HttpServer::Poll() {
  const absl::Duration before = ReadClock().monotonic;
  const bool accepting = accept_after_ <= before;
  if (accepting) accept_after_ = -absl::InfiniteDuration();
  std::vector<pollfd> polled = {{wake_fd_, POLLIN, 0},
                                {accepting ? listener_.fd() : -1, POLLIN, 0}};
  std::vector<Id> ids;
  for (const auto& [id, connection] : connections_) {
    const short events = connection->events();
    polled.push_back({events == 0 ? -1 : connection->fd(), events, 0});
    ids.push_back(id);
  }
  poll(polled.data(), polled.size(), Milliseconds(NextDeadline() - before));
  const absl::Duration now = ReadClock().monotonic;
  if (polled[0].revents != 0) TakeAnswers(now);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (polled[i + 2].revents == 0) continue;
    Connection* const connection = connections_.at(ids[i]).get();
    connection->Advance(now);
    if (connection->state() == Connection::State::kRequested) Dispatch(ids[i], connection, now);
  }
  CloseEnded(now);
  if (polled[1].revents != 0) Accept(now);
}

void HttpServer::TakeAnswers(absl::Duration now) {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof(count));
  for (Answer& answer : answers_.PopAll(absl::ZeroDuration())) {
    const auto found = connections_.find(answer.id);
    if (found != connections_.end()) found->second->Respond(std::move(answer.bytes), now);
  }
}

// Accepts a limited number per iteration, so that existing connections are served too.
void HttpServer::Accept(absl::Duration now) {
  for (int i = 0; i < kAcceptsPerTurn && AcceptOne(now); ++i) {
  }
}

/// Returns false if there is no connection to accept, or no capacity.
bool HttpServer::AcceptOne(absl::Duration now) {
  if (connections_.size() >= options_.max_connections && !CloseOldestIncomplete()) {
    PauseAccepting(now);
    return false;
  }
  int fd = -1;
  const Listener::Accepted accepted = listener_.Accept(&fd);
  if (accepted == Listener::Accepted::kConnection) {
    connections_.emplace(++last_id_, std::make_unique<Connection>(fd, options_.timeouts, now));
  } else if (accepted == Listener::Accepted::kOutOfDescriptors) {
    CloseOldestIncomplete();
    PauseAccepting(now);
  }
  return accepted == Listener::Accepted::kConnection;
}

void HttpServer::PauseAccepting(absl::Duration now) { accept_after_ = now + kAcceptPause; }

bool HttpServer::CloseOldestIncomplete() {
  const auto oldest = std::find_if(connections_.begin(), connections_.end(),
                                   [](const auto& entry) { return Incomplete(*entry.second); });
  if (oldest == connections_.end()) return false;
  connections_.erase(oldest);
  return true;
}

void HttpServer::Dispatch(Id id, Connection* connection, absl::Duration now) {
  const RequestReader& reader = connection->reader();
  const auto refuse = [&](int status) {
    connection->Respond(Serialize(StatusOnly(status), false), now);
  };
  if (reader.refusal() != 0) return refuse(reader.refusal());
  const HttpRequest& request = reader.request();
  if (request.method != "GET" && request.method != "HEAD") return refuse(kNotAllowed);
  for (const auto& worker : workers_) {
    if (!worker->handler.matches(request)) continue;
    const size_t busy = std::max(worker->open.size(), worker->jobs.size());
    if (busy >= worker->handler.max_requests) return refuse(kBusy);
    worker->open.insert(id);
    connection->AwaitAnswer();
    worker->jobs.PushNow({id, request});
    return;
  }
  refuse(kNotFound);
}

void HttpServer::CloseEnded(absl::Duration now) {
  for (const auto& worker : workers_) {
    std::erase_if(worker->open, [&](Id id) {
      const auto found = connections_.find(id);
      return found == connections_.end() || Incomplete(*found->second);
    });
  }
  std::erase_if(connections_, [&](const auto& entry) {
    return entry.second->state() == Connection::State::kClosed || entry.second->deadline() <= now;
  });
}

absl::Duration HttpServer::NextDeadline() const {
  const bool paused = accept_after_ != -absl::InfiniteDuration();
  absl::Duration next = paused ? accept_after_ : absl::InfiniteDuration();
  for (const auto& [id, connection] : connections_) next = std::min(next, connection->deadline());
  return next;
}

}  // namespace xebec::telemetry
