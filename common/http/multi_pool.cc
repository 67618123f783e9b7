// SPDX-License-Identifier: Apache-2.0
#include "common/http/multi_pool.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "common/base/clock.h"

namespace xebec::http::internal {
namespace {

constexpr size_t kMaxKnownConnections = 256;
constexpr long kMaxStreamsPerConnection = 250;
constexpr long kIdleConnections = 64;

unsigned EpollEvents(int what) {
  unsigned events = 0;
  if (what & CURL_POLL_IN) events |= EPOLLIN;
  if (what & CURL_POLL_OUT) events |= EPOLLOUT;
  return events;
}

int CurlEvents(unsigned events) {
  int result = 0;
  if (events & EPOLLIN) result |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) result |= CURL_CSELECT_OUT;
  // A broken connection counts as readable, so that libcurl sees the error.
  if (events & (EPOLLERR | EPOLLHUP)) result |= CURL_CSELECT_IN | CURL_CSELECT_ERR;
  return result;
}

/// epoll's timeout. Rounded up, so that the wait never ends just before a timer is due.
int Milliseconds(absl::Duration timeout) {
  if (timeout <= absl::ZeroDuration()) return 0;
  const int64_t ms = absl::ToInt64Milliseconds(absl::Ceil(timeout, absl::Milliseconds(1)));
  return timeout == absl::InfiniteDuration()
             ? -1
             : static_cast<int>(std::min<int64_t>(ms, std::numeric_limits<int>::max()));
}

}  // namespace

Poller::Poller(int wake_fd) : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)), wake_fd_(wake_fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_fd_;
  epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event);
}

Poller::~Poller() { close(epoll_fd_); }

void Poller::Update(int fd, int what, MultiPool* pool) {
  if (what == CURL_POLL_REMOVE) {
    owners_.erase(fd);
    epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);  // fails if the socket is already closed
    return;
  }
  owners_[fd] = pool;
  epoll_event event{};
  event.events = EpollEvents(what);
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event) != 0 && errno == ENOENT) {
    epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
  }
}

bool Poller::Wait(absl::Duration timeout) {
  ready_count_ = epoll_wait(epoll_fd_, ready_, kMaxEvents, Milliseconds(timeout));
  for (int i = 0; i < ready_count_; ++i) {
    if (ready_[i].data.fd == wake_fd_) return true;
  }
  return false;
}

void Poller::Pause(absl::Duration time) {
  const timespec timeout = absl::ToTimespec(time);
  ppoll(nullptr, 0, &timeout, nullptr);
}

void Poller::Dispatch() {
  for (int i = 0; i < ready_count_; ++i) {
    const auto owner = owners_.find(ready_[i].data.fd);  // an earlier event may have closed it
    if (owner == owners_.end()) continue;
    owner->second->OnSocket(owner->first, CurlEvents(ready_[i].events));
  }
}

MultiPool::MultiPool(Poller& poller, PoolLimits limits)
    : poller_(poller), multi_(curl_multi_init()) {
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, limits.max_connections);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kIdleConnections);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &MultiPool::OnSocketChange);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &MultiPool::OnTimerChange);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

MultiPool::~MultiPool() { curl_multi_cleanup(multi_); }

CURLMcode MultiPool::Add(CURL* easy) {
  const CURLMcode code = curl_multi_add_handle(multi_, easy);
  if (code == CURLM_OK) ++size_;
  return code;
}

void MultiPool::Remove(CURL* easy) {
  curl_multi_remove_handle(multi_, easy);
  --size_;
}

void MultiPool::RunTimer(absl::Duration now) {
  // One step often requires the next one immediately.
  constexpr int kMaxSteps = 8;
  for (int step = 0; step < kMaxSteps && timer_ <= now; ++step) {
    timer_ = absl::InfiniteDuration();
    int running = 0;
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

void MultiPool::OnSocket(int fd, int curl_events) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, curl_events, &running);
}

std::shared_ptr<Connection> MultiPool::ConnectionFrom(const std::string& ip, int port,
                                                      absl::Duration began) {
  std::shared_ptr<Connection>& connection = connections_[{ip, port}];
  if (connection != nullptr) return connection;
  connection = std::make_shared<Connection>(Connection{began});
  std::shared_ptr<Connection> found = connection;
  // libcurl does not report which connections are closed.
  if (connections_.size() > kMaxKnownConnections) {
    std::erase_if(connections_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  return found;
}

bool MultiPool::NextEnded(CURL** easy, CURLcode* code) {
  int left = 0;
  for (CURLMsg* message; (message = curl_multi_info_read(multi_, &left)) != nullptr;) {
    if (message->msg != CURLMSG_DONE) continue;
    *easy = message->easy_handle;
    *code = message->data.result;
    return true;
  }
  return false;
}

int MultiPool::OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*) {
  auto* pool = static_cast<MultiPool*>(self);
  pool->poller_.Update(fd, what, pool);
  return 0;
}

int MultiPool::OnTimerChange(CURLM*, long milliseconds, void* self) {
  auto* pool = static_cast<MultiPool*>(self);
  if (milliseconds < 0) {
    pool->timer_ = absl::InfiniteDuration();
  } else if (milliseconds == 0) {
    pool->timer_ = -absl::InfiniteDuration();  // due at once
  } else {
    pool->timer_ = ReadClock().monotonic + absl::Milliseconds(milliseconds);
  }
  return 0;
}

}  // namespace xebec::http::internal
