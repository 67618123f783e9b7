// SPDX-License-Identifier: Apache-2.0
#include "common/http/transfer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/http/retry_after.h"

namespace xebec::http::internal {
namespace {

using kube::ApiResponse;
using kube::TransportError;

int ResponseCode(CURL* easy) {
  long code = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
  return static_cast<int>(code);
}

std::optional<absl::Duration> RetryAfter(CURL* easy, absl::Time wall) {
  curl_header* header = nullptr;
  if (curl_easy_header(easy, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) {
    return std::nullopt;
  }
  return ParseRetryAfter(header->value, wall);
}

std::optional<absl::Time> Date(CURL* easy) {
  curl_header* header = nullptr;
  if (curl_easy_header(easy, "Date", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) {
    return std::nullopt;
  }
  const time_t when = curl_getdate(header->value, nullptr);
  return when < 0 ? std::nullopt : std::optional(absl::FromTimeT(when));
}

/// Returns "PATCH https://127.0.0.1:6443/api/v1/pods" for messages, without the query, which may be
/// long.
std::string Subject(const Transfer& transfer, const std::string& server) {
  const std::string& path = transfer.request.path;
  return absl::StrCat(transfer.request.method, " ", server, path.substr(0, path.find('?')));
}

void NoteByte(Transfer* transfer) {
  transfer->last_byte = *transfer->now;
  if (transfer->connection != nullptr) transfer->connection->last_byte = *transfer->now;
}

/// Reserves space if the server sends the length.
void ReserveBody(Transfer* transfer) {
  curl_off_t length = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (length > 0 && static_cast<size_t>(length) <= transfer->body_limit()) {
    transfer->body.reserve(static_cast<size_t>(length));
  }
}

std::string ErrorText(const Transfer& transfer, CURLcode code) {
  if (!transfer.refused.empty()) return transfer.refused;
  return transfer.error_text[0] != '\0' ? transfer.error_text : curl_easy_strerror(code);
}

bool WatchIsOpen(const Transfer& transfer) { return transfer.is_watch() && transfer.status == 200; }

void WatchStatusArrived(Transfer* transfer) {
  const int status = transfer->status;
  if (status == 401 && transfer->attempts < 2) return;  // the client retries with new credentials
  transfer->stream->Deliver([status](ApiClient::StreamEvents& events) {
    if (events.on_status) events.on_status(status);
  });
}

}  // namespace

void StreamState::Cancel(bool wait) {
  cancelled_ = true;
  if (!wait) return;
  MutexLock wait_for_a_running_callback(&gate_);
}

void StreamState::Release() {
  MutexLock lock(&gate_);
  events_ = {};
}

void ResetAttempt(Transfer* transfer) {
  transfer->easy = nullptr;
  transfer->headers.reset();
  transfer->connection.reset();
  transfer->progress = Progress::kQueued;
  transfer->status = 0;
  transfer->body.clear();
  transfer->in_batch = false;
  transfer->refused.clear();
  transfer->error_text[0] = '\0';
}

ApiResponse MakeFailure(const Transfer& transfer, const std::string& server, TransportError if_sent,
                        const std::string& why) {
  ApiResponse response;
  response.error = transfer.progress == Progress::kSent ? if_sent : TransportError::kNotSent;
  response.error_message = absl::StrCat(Subject(transfer, server), ": ", why);
  return response;
}

ApiResponse MakeResponse(Transfer* transfer, CURLcode code, const std::string& server,
                         absl::Time wall) {
  const int status = transfer->status != 0 ? transfer->status : ResponseCode(transfer->easy);
  // The error body of a watch may be cut at the limit, because its status matters more.
  const bool cut = transfer->is_watch() && status != 200 && transfer->body.size() >= kMaxErrorBody;
  if (code != CURLE_OK && !cut) {
    const auto if_sent =
        code == CURLE_OPERATION_TIMEDOUT ? TransportError::kTimeout : TransportError::kBroken;
    return MakeFailure(*transfer, server, if_sent, ErrorText(*transfer, code));
  }
  ApiResponse response;
  response.status = status;
  response.body = std::move(transfer->body);
  response.retry_after = RetryAfter(transfer->easy, wall);
  response.date = Date(transfer->easy);
  return response;
}

void EndBatch(Transfer* watch) {
  if (!std::exchange(watch->in_batch, false)) return;
  watch->stream->Deliver([](ApiClient::StreamEvents& events) {
    if (events.on_batch_end) events.on_batch_end();
  });
}

size_t OnBody(char* data, size_t size, size_t count, void* userdata) {
  auto* transfer = static_cast<Transfer*>(userdata);
  const size_t bytes = size * count;
  NoteByte(transfer);
  if (WatchIsOpen(*transfer)) {
    transfer->stream->Deliver([&](ApiClient::StreamEvents& events) {
      if (events.on_chunk) events.on_chunk({data, bytes});
    });
    transfer->in_batch = true;
    return bytes;
  }
  const size_t room = transfer->body_limit() - transfer->body.size();
  if (bytes > room) {
    transfer->body.append(data, room);
    transfer->refused =
        absl::StrCat("the answer is larger than ", transfer->body_limit(), " bytes");
    return 0;
  }
  if (transfer->body.empty()) ReserveBody(transfer);
  transfer->body.append(data, bytes);
  return bytes;
}

// NOLINTNEXTLINE(readability-non-const-parameter): libcurl's signature
size_t OnWatchHeader(char* data, size_t size, size_t count, void* userdata) {
  auto* transfer = static_cast<Transfer*>(userdata);
  const size_t bytes = size * count;
  NoteByte(transfer);
  const bool end_of_headers = bytes > 0 && (data[0] == '\r' || data[0] == '\n');
  if (!end_of_headers || transfer->status != 0) return bytes;
  const int status = ResponseCode(transfer->easy);
  if (status < 200) return bytes;
  transfer->status = status;
  WatchStatusArrived(transfer);
  return bytes;
}

// libcurl sends a request again if a connection that was used before breaks before the first byte
// of the answer. The server may have executed the first one. libcurl does not tell whether the
// server refused it (REFUSED_STREAM of HTTP/2). The signature is libcurl's.
// NOLINTNEXTLINE(readability-non-const-parameter)
int OnBeforeRequest(void* userdata, char*, char* local_ip, int, int local_port) {
  auto* transfer = static_cast<Transfer*>(userdata);
  if (transfer->progress == Progress::kSent && transfer->request.method != "GET") {
    transfer->refused = "the connection broke before the answer";
    return CURL_PREREQFUNC_ABORT;
  }
  transfer->progress = Progress::kSent;
  transfer->connection = transfer->pool->ConnectionFrom(local_ip, local_port, transfer->last_byte);
  return CURL_PREREQFUNC_OK;
}

}  // namespace xebec::http::internal
