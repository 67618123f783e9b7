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

/// Largest body of an answer to Send: a list page with room.
inline constexpr size_t kMaxBody = 32 * 1024 * 1024;
/// Largest body kept of a watch's answer that is not a 200.
inline constexpr size_t kMaxErrorBody = 64 * 1024;

/// What a watch's Stream and the HTTP thread share.
class StreamState {
 public:
  explicit StreamState(ApiClient::StreamEvents events) : events_(std::move(events)) {}

  /// Calls `f(events)` unless cancelled. HTTP thread.
  template <typename F>
  void Deliver(F&& f) {
    MutexLock lock(&gate_);
    if (!cancelled_) f(events_);
  }

  /// No Deliver begins to call anything from now on. With `wait` (never inside Deliver) none is
  /// under way any more either.
  void Cancel(bool wait);
  bool cancelled() const { return cancelled_; }

  /// Frees the callbacks. HTTP thread, outside of Deliver.
  void Release();

 private:
  Mutex gate_;  // held while a callback runs
  std::atomic<bool> cancelled_ = false;
  ApiClient::StreamEvents events_ ABSL_GUARDED_BY(gate_);
};

/// Request headers of one request; alive as long as a transfer uses them.
using HeaderList = std::shared_ptr<curl_slist>;

/// How far a transfer has come on the wire.
enum class Progress {
  kQueued,  ///< Certainly nothing was sent.
  kSent,    ///< Something may have been sent.
};

/// One request from Send or Watch to its end. Owned by the HTTP thread.
struct Transfer {
  kube::ApiRequest request;
  std::function<void(kube::ApiResponse)> done;  ///< Of a request.
  std::shared_ptr<StreamState> stream;          ///< Of a watch; null for a request.

  absl::Duration started;                              ///< Monotonic.
  absl::Duration deadline = absl::InfiniteDuration();  ///< Monotonic; of the whole, retry included.
  absl::Duration last_byte;                            ///< Monotonic; of a watch.
  const absl::Duration* now = nullptr;                 ///< The loop's current time.
  MultiPool* pool = nullptr;                           ///< Carries it.
  uint64_t credentials_round = 0;  ///< Which answer of the credential source it carries.
  int attempts = 0;

  // Of the current attempt.
  CURL* easy = nullptr;
  HeaderList headers;
  std::shared_ptr<Connection> connection;  ///< Null before the request is sent.
  Progress progress = Progress::kQueued;
  int status = 0;  ///< Set when the headers are complete.
  std::string body;
  std::string refused;  ///< Why we ended it in the middle; empty otherwise.
  char error_text[CURL_ERROR_SIZE] = {};

  bool is_watch() const { return stream != nullptr; }
  size_t body_limit() const { return is_watch() ? kMaxErrorBody : kMaxBody; }
};

/// Forgets what the attempt has left behind, for the next one.
void ResetAttempt(Transfer* transfer);

/// The answer at the end of an attempt that libcurl ended with `code`. `wall` is for Retry-After
/// dates.
kube::ApiResponse MakeResponse(Transfer* transfer, CURLcode code, const std::string& server,
                               absl::Time wall);

/// An answer without any, for a transfer that ends before libcurl has seen it or by our own
/// decision.
kube::ApiResponse MakeFailure(const Transfer& transfer, const std::string& server,
                              kube::TransportError if_sent, const std::string& why);

/// Callbacks for libcurl; `userdata` is the Transfer.
size_t OnBody(char* data, size_t size, size_t count, void* userdata);
size_t OnWatchHeader(char* data, size_t size, size_t count, void* userdata);
int OnBeforeRequest(void* userdata, char*, char*, int, int);

}  // namespace xebec::http::internal
