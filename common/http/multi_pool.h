// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <sys/epoll.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"

namespace xebec::http::internal {

class MultiPool;

/// Waits for the sockets of several pools and the inbox. Owns the epoll instance. HTTP thread only.
class Poller {
 public:
  explicit Poller(int wake_fd);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Watches `fd` for `pool`; `what` is one of libcurl's CURL_POLL_ values.
  void Update(int fd, int what, MultiPool* pool);

  /// Sleeps until a socket is ready, a wake-up came or `timeout` is over. True for a wake-up.
  bool Wait(absl::Duration timeout);
  /// Lets the pools act on the sockets that Wait has found ready.
  void Dispatch();

 private:
  static constexpr int kMaxEvents = 32;

  const int epoll_fd_;
  const int wake_fd_;
  std::map<int, MultiPool*> owners_;
  epoll_event ready_[kMaxEvents];
  int ready_count_ = 0;
};

/// One connection to the server.
struct Connection {
  absl::Duration last_byte;  ///< When something arrived on it (monotonic).
};

/// How many connections a pool may open to the server, where HTTP/2 does not make one enough.
struct PoolLimits {
  long max_connections;
};

/// One libcurl multi handle with its connections, driven through a Poller. HTTP thread only.
class MultiPool {
 public:
  MultiPool(Poller& poller, PoolLimits limits);
  ~MultiPool();
  MultiPool(const MultiPool&) = delete;
  MultiPool& operator=(const MultiPool&) = delete;

  /// Starts the transfer of a configured easy handle. False (with libcurl's reason in `why`) when
  /// it cannot.
  CURLMcode Add(CURL* easy);
  /// Ends it; must be called once for each Add.
  void Remove(CURL* easy);
  /// Transfers between Add and Remove.
  size_t size() const { return size_; }

  /// When libcurl wants to be called again; InfiniteDuration for never.
  absl::Duration timer() const { return timer_; }
  /// Lets libcurl act on its timer when that is due.
  void RunTimer(absl::Duration now);
  /// Lets libcurl act on a socket.
  void OnSocket(int fd, int curl_events);
  /// The connection from this local address. `began` is its last byte if it is new.
  std::shared_ptr<Connection> ConnectionFrom(const std::string& ip, int port, absl::Duration began);
  /// The next transfer that has ended; false when there is none.
  bool NextEnded(CURL** easy, CURLcode* code);

 private:
  static int OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int OnTimerChange(CURLM*, long milliseconds, void* self);

  Poller& poller_;
  CURLM* const multi_;
  size_t size_ = 0;
  std::map<std::pair<std::string, int>, std::shared_ptr<Connection>>
      connections_;  // by local address
  absl::Duration timer_ = absl::InfiniteDuration();
};

}  // namespace xebec::http::internal
