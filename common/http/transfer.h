// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/http/http_client.h"
#include "common/http/multi_pool.h"

namespace xebec::http::internal {

/// The largest response body that Send accepts. A page of a list is smaller.
inline constexpr size_t kMaxBody = 32 * 1024 * 1024;
/// The largest error body of a watch that is kept.
inline constexpr size_t kMaxErrorBody = 64 * 1024;

/// The state that a watch's Stream and the HTTP thread share.
class StreamState {
 public:
  explicit StreamState(ApiClient::StreamEvents events) : events_(std::move(events)) {}

  /// Calls `f(events)` unless the stream is cancelled. HTTP thread only.
  template <typename F>
  void Deliver(F&& f) {
    MutexLock lock(&gate_);
    if (!cancelled_) f(events_);
  }

  /// Prevents further callbacks. With `wait` it also waits for a running callback; a callback must
  /// not use `wait`.
  void Cancel(bool wait);
  bool cancelled() const { return cancelled_; }

  /// Destroys the callbacks. HTTP thread only, outside of Deliver.
  void Release();

 private:
  Mutex gate_;  // held while a callback runs
  std::atomic<bool> cancelled_ = false;
  ApiClient::StreamEvents events_ ABSL_GUARDED_BY(gate_);
};

/// The headers of one request. Lives as long as a transfer uses them.
using HeaderList = std::shared_ptr<curl_slist>;

/// The progress of a transfer on the network.
enum class Progress {
  kQueued,  ///< Nothing was sent.
  kSent,    ///< Something may have been sent.
};

/// One request of Send or Watch until it ends. Owned by the HTTP thread.
struct Transfer {
  kube::ApiRequest request;
  std::function<void(kube::ApiResponse)> done;  ///< Set for a request, empty for a watch.
  std::shared_ptr<StreamState> stream;          ///< Set for a watch, null for a request.

  absl::Duration started;  ///< Monotonic.
  /// Monotonic; for the whole transfer, including a retry.
  absl::Duration deadline = absl::InfiniteDuration();
  absl::Duration last_byte;             ///< Monotonic; only for a watch.
  const absl::Duration* now = nullptr;  ///< The loop's current time.
  MultiPool* pool = nullptr;            ///< The pool of the transfer.
  uint64_t credentials_round = 0;       ///< CredentialCache::round() of the credentials in use.
  int attempts = 0;

  // The fields below belong to the current attempt.
  CURL* easy = nullptr;
  HeaderList headers;
  std::shared_ptr<Connection> connection;  ///< Null before the request is sent.
  Progress progress = Progress::kQueued;
  int status = 0;  ///< Set when the headers are complete.
  std::string body;
  bool in_batch = false;  ///< Set while chunks wait for on_batch_end.
  std::string refused;    ///< The reason for an early end by the client, or empty.
  char error_text[CURL_ERROR_SIZE] = {};

  bool is_watch() const { return stream != nullptr; }
  bool is_read() const { return !is_watch() && request.method == "GET"; }
  size_t body_limit() const { return is_watch() ? kMaxErrorBody : kMaxBody; }
};

/// Resets the fields of the attempt before a retry.
void ResetAttempt(Transfer* transfer);

/// Returns the response of an attempt that libcurl ended with `code`. `wall` is the current time,
/// for Retry-After dates.
kube::ApiResponse MakeResponse(Transfer* transfer, CURLcode code, const std::string& server,
                               absl::Time wall);

/// Returns a failure for a transfer that ends before libcurl has started it, or that the client
/// ends itself. The error is `if_sent` if something may have been sent, otherwise kNotSent.
kube::ApiResponse MakeFailure(const Transfer& transfer, const std::string& server,
                              kube::TransportError if_sent, const std::string& why);

/// Calls on_batch_end of a watch if chunks have arrived since the last call.
void EndBatch(Transfer* watch);

/// Callbacks for libcurl; `userdata` is the Transfer.
size_t OnBody(char* data, size_t size, size_t count, void* userdata);
size_t OnWatchHeader(char* data, size_t size, size_t count, void* userdata);
int OnBeforeRequest(void* userdata, char*, char*, int, int);

}  // namespace xebec::http::internal
