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

/// Waits for the sockets of several pools and for the inbox. Owns the epoll instance. HTTP thread
/// only.
class Poller {
 public:
  explicit Poller(int wake_fd);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Polls `fd` for `pool`. `what` is one of libcurl's CURL_POLL_ values.
  void Update(int fd, int what, MultiPool* pool);

  /// Waits until a socket is ready, a wake-up arrives or `timeout` expires. Returns true after a
  /// wake-up.
  bool Wait(absl::Duration timeout);
  /// Lets data gather in the sockets for this time.
  static void Pause(absl::Duration time);
  /// Calls OnSocket for each socket that Wait found ready.
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
  absl::Duration last_byte;  ///< Time of the last received byte (monotonic).
};

/// Limits of a pool. They matter for servers without HTTP/2, which need one connection per request.
struct PoolLimits {
  long max_connections;
};

/// A libcurl multi handle with its connections, driven by a Poller. HTTP thread only.
class MultiPool {
 public:
  MultiPool(Poller& poller, PoolLimits limits);
  ~MultiPool();
  MultiPool(const MultiPool&) = delete;
  MultiPool& operator=(const MultiPool&) = delete;

  /// Starts the transfer of a configured easy handle. Returns libcurl's error code if it cannot.
  CURLMcode Add(CURL* easy);
  /// Ends the transfer. Must be called once for each Add.
  void Remove(CURL* easy);
  /// The number of transfers between Add and Remove.
  size_t size() const { return size_; }

  /// The time of the next RunTimer; InfiniteDuration if none is due.
  absl::Duration timer() const { return timer_; }
  /// Runs libcurl's timer if it is due.
  void RunTimer(absl::Duration now);
  /// Tells libcurl that a socket is ready.
  void OnSocket(int fd, int curl_events);
  /// Returns the connection with this local address. For a new connection `began` becomes its
  /// last_byte.
  std::shared_ptr<Connection> ConnectionFrom(const std::string& ip, int port, absl::Duration began);
  /// Returns the next finished transfer in `easy` and `code`; false if there is none.
  bool NextEnded(CURL** easy, CURLcode* code);

 private:
  static int OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int OnTimerChange(CURLM*, long milliseconds, void* self);

  Poller& poller_;
  CURLM* const multi_;
  size_t size_ = 0;
  // key: local address and port
  std::map<std::pair<std::string, int>, std::shared_ptr<Connection>> connections_;
  absl::Duration timer_ = absl::InfiniteDuration();
};

}  // namespace xebec::http::internal
