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

/// A finished request, for metrics.
struct FinishedRequest {
  std::string method;  ///< "WATCH" for watches.
  std::string host;    ///< Host and port of the API server.
  int status = 0;      ///< 0 after a transport error.
  absl::Duration took;
  size_t request_bytes = 0;   ///< Size of the body.
  size_t response_bytes = 0;  ///< Of the body; 0 for a watch.
  int retries = 0;            ///< Attempts with new credentials after a 401.
};

/// Called for every finished request, on the HTTP thread.
using RequestObserver = std::function<void(const FinishedRequest&)>;

struct ApiClientOptions {
  /// For the whole request, including the connection.
  absl::Duration request_timeout = absl::Seconds(10);
  absl::Duration connect_timeout = absl::Seconds(5);
  /// A watch ends with kBroken if nothing arrives on its connection for this time. The limit
  /// applies to the connection because one watch may be silent for up to ten minutes: an API server
  /// that has seen no event of a resource since it started sends no bookmarks for it.
  absl::Duration watch_idle_timeout = absl::Seconds(90);
  std::string user_agent = "xebec";
  /// Under load, the HTTP thread lets answers and events gather for up to 4 ms at first, and for up
  /// to 16 ms while the load lasts. This saves CPU time of all threads that work on them. After a
  /// quiet time, and while a GET is in flight, nothing is delayed.
  bool gather_under_load = false;
  RequestObserver observer;
};

/// A running watch. The destructor cancels it.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Ends the watch and waits for a running callback. Afterwards no callback runs, except when
  /// Cancel was called on the HTTP thread itself.
  virtual void Cancel() = 0;
  /// Ends the watch without waiting for a running callback. For callers that the callback may be
  /// waiting for.
  virtual void CancelAsync() = 0;
};

/// A client for one API server, based on libcurl: one thread, HTTP/2, and separate connections for
/// watches. It replaces a connection on which nothing arrived while a request timed out, or on
/// which all watches were silent for too long. All methods are thread-safe and do not block.
/// Callbacks run on the HTTP thread and must be short.
class ApiClient {
 public:
  /// Starts the thread.
  ApiClient(kube::ClusterAccess access, ApiClientOptions options);
  /// Ends all requests with kBroken or kNotSent and joins the thread. Must not run in a callback.
  ~ApiClient();

  /// Sends a request and calls `done` exactly once. `timeout` applies to the whole request; zero
  /// means ApiClientOptions::request_timeout. After a 401 the client invalidates the credentials
  /// and retries once. It sends a GET again if the connection breaks before the answer; another
  /// request then ends with kBroken, because the server may have executed it. If 4096 requests are
  /// in flight, a further one is answered with kNotSent. Responses of more than 32 MiB end with
  /// kBroken.
  void Send(kube::ApiRequest request, std::function<void(kube::ApiResponse)> done,
            absl::Duration timeout = absl::ZeroDuration());

  struct StreamEvents {
    /// Called once with the HTTP status before the first chunk.
    std::function<void(int status)> on_status;
    /// Called for each piece of the body of a 200 response.
    std::function<void(std::string_view chunk)> on_chunk;
    /// Called after all chunks that had arrived when the HTTP thread woke up, so that they can be
    /// handled together. At the end of the stream, on_end may be called instead. May be empty.
    std::function<void()> on_batch_end;
    /// Called exactly once at the end, also after an error. `response.body` contains the body of a
    /// response other than 200 (at most 64 KiB).
    std::function<void(kube::ApiResponse response)> on_end;
  };
  /// Starts a watch. `timeout` applies to the whole watch; zero means no timeout.
  std::unique_ptr<Stream> Watch(kube::ApiRequest request, absl::Duration timeout,
                                StreamEvents events);

  /// The number of requests that Send accepted and that have no response yet.
  size_t InFlight() const;

  const kube::ClusterConfig& config() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace xebec::http
