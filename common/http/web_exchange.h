// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <functional>
#include <string>

#include "common/http/web_client.h"

namespace xebec::http::internal {

/// One request until it ends. Owned by the thread of the client.
struct Exchange {
  WebRequest request;
  std::function<void(WebResponse)> done;
  uint64_t number = 0;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  WebResponse response;
  std::string refused;  ///< By `check`.
  bool too_large = false;
  absl::Duration deadline;  ///< Monotonic.
  bool resolving = false;   ///< libcurl may resolve the name on another thread.
  bool lingers = false;     ///< Only the end of that thread is awaited.
  char error_text[CURL_ERROR_SIZE] = {};

  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
  }
};

/// Creates the easy handle of an exchange. The exchange must outlive the transfer and must not
/// move.
void Prepare(Exchange* exchange, const std::string& user_agent);

/// For an exchange that is `resolving`: it gets no connection and no timeout any more. The transfer
/// ends when the name is resolved.
void Linger(Exchange* exchange);

/// Fills the response of a transfer that libcurl ended with `code`.
void Conclude(Exchange* exchange, CURLcode code);

}  // namespace xebec::http::internal
