// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/kube/api_request.h"
#include "common/kube/cluster_config.h"

namespace xebec::http {

/// A request that has ended.
struct FinishedRequest {
  std::string method;  ///< "WATCH" of watches.
  std::string host;    ///< Of the API server, with its port.
  int status = 0;      ///< 0 with a transport error.
  absl::Duration took;
  size_t request_bytes = 0;   ///< Of the body.
  size_t response_bytes = 0;  ///< Of the body; a watch's lines do not count.
  int retries = 0;            ///< With new credentials, after a 401.
};

/// Called for every request that has ended, on the HTTP thread.
using RequestObserver = std::function<void(const FinishedRequest&)>;

struct ApiClientOptions {
  absl::Duration request_timeout = absl::Seconds(10);  ///< Whole request, connecting included.
  absl::Duration connect_timeout = absl::Seconds(5);
  /// A watch ends as broken when nothing has arrived on its connection for this long. One watch
  /// alone may be silent while others on the same connection are not: an API server that has seen
  /// no event of a resource since it started sends no bookmarks of it either, for up to ten
  /// minutes.
  absl::Duration watch_idle_timeout = absl::Seconds(90);
  std::string user_agent = "xebec";
  RequestObserver observer;
};

/// Ends its stream when destroyed, cancelled or abandoned.
class Stream {
 public:
  virtual ~Stream() = default;
  /// No callback runs after it has returned, except on the HTTP thread itself.
  virtual void Cancel() = 0;
  /// The same without waiting for a callback that is running, for callers whom that callback may be
  /// waiting for.
  virtual void Abandon() = 0;
};

/// Talks to one API server over libcurl: one thread, HTTP/2, watches on a connection of their own.
/// A dead connection is replaced: one on which nothing arrived while a request on it timed out, or
/// on which all watches were silent for too long. All methods are thread-safe and do not block;
/// callbacks run on the HTTP thread and must be short.
class ApiClient {
 public:
  /// Starts the thread.
  ApiClient(kube::ClusterAccess access, ApiClientOptions options);
  /// Ends all requests with kBroken / kNotSent and joins the thread. Must not run in a callback.
  ~ApiClient();

  /// Sends a request; `done` is called exactly once. `timeout`: of the whole request; zero: as the
  /// options have it. A 401 invalidates the credentials and is
  /// retried once. Bounded: with 4096 requests in flight one more is answered with kNotSent.
  /// Answers beyond 32 MiB end as kBroken.
  void Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done,
            absl::Duration timeout = absl::ZeroDuration());

  struct StreamEvents {
    /// Called once with the HTTP status before the first chunk.
    std::function<void(int status)> on_status;
    /// A piece of the body of a 200 answer.
    std::function<void(std::string_view chunk)> on_chunk;
    /// Called exactly once at the end, also after an error. `response.body` holds the body of an
    /// answer other than 200 (at most 64 KiB).
    std::function<void(kube::ApiResponse response)> on_end;
  };
  /// Starts a watch. `timeout` bounds it as a whole; zero means no bound.
  std::unique_ptr<Stream> Watch(kube::ApiRequest request, absl::Duration timeout,
                                StreamEvents events);

  /// Requests handed to Send and not answered.
  size_t InFlight() const;

  const kube::ClusterConfig& config() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace xebec::http
