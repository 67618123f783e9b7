// SPDX-License-Identifier: Apache-2.0
#include "common/http/web_exchange.h"

#include <sys/socket.h>

#include <algorithm>
#include <climits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::http::internal {
namespace {

using WebError = WebResponse::Error;

constexpr size_t kMaxWebHeader = 512;
constexpr absl::Duration kSpareTime = absl::Seconds(1);

size_t TakeBody(char* data, size_t size, size_t count, void* userdata) {
  auto* exchange = static_cast<Exchange*>(userdata);
  const size_t bytes = size * count;
  if (exchange->response.body.size() + bytes > exchange->request.max_body_bytes) {
    exchange->too_large = true;
    return 0;
  }
  exchange->response.body.append(data, bytes);
  return bytes;
}

size_t TakeHeader(char* data, size_t size, size_t count, void* userdata) {
  auto* exchange = static_cast<Exchange*>(userdata);
  const size_t bytes = size * count;
  const absl::string_view line(data, bytes);
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return bytes;
  const absl::string_view name = line.substr(0, colon);
  const absl::string_view value = absl::StripAsciiWhitespace(line.substr(colon + 1));
  const std::string kept(ToStd(value.substr(0, kMaxWebHeader)));
  if (absl::EqualsIgnoreCase(name, "retry-after")) exchange->response.retry_after = kept;
  if (absl::EqualsIgnoreCase(name, "location")) exchange->response.location = kept;
  return bytes;
}

int NoteLookup(void*, void*, void* userdata) {
  static_cast<Exchange*>(userdata)->resolving = true;
  return 0;
}

curl_socket_t OpenAllowedSocket(void* userdata, curlsocktype, curl_sockaddr* address) {
  auto* exchange = static_cast<Exchange*>(userdata);
  exchange->resolving = false;
  if (exchange->lingers) return CURL_SOCKET_BAD;
  if (exchange->request.check) {
    const std::string why = exchange->request.check(address->addr);
    if (!why.empty()) {
      exchange->refused = why;
      return CURL_SOCKET_BAD;
    }
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void SetPem(CURL* easy, CURLoption option, const std::string& data) {
  if (data.empty()) return;
  curl_blob blob{const_cast<char*>(data.data()), data.size(), CURL_BLOB_COPY};
  curl_easy_setopt(easy, option, &blob);
}

struct UrlParts {
  std::string scheme, host, port, rest;
};

/// The URL has a port: Post's callers make it.
UrlParts SplitUrl(const std::string& url) {
  const size_t begin = url.find("://") + 3;
  const size_t slash = std::min(url.find('/', begin), url.size());
  const std::string authority = url.substr(begin, slash - begin);
  const size_t colon = std::min(authority.rfind(':'), authority.size());
  return {url.substr(0, begin), authority.substr(0, colon), authority.substr(colon),
          url.substr(slash)};
}

/// The certificate must contain the host of the URL. A different name becomes the host, and the
/// connection is made to the original host.
void SetWebUrl(Exchange* exchange) {
  const WebRequest& request = exchange->request;
  const UrlParts parts = SplitUrl(request.url);
  if (request.server_name.empty() || request.server_name == parts.host) {
    curl_easy_setopt(exchange->easy, CURLOPT_URL, request.url.c_str());
    return;
  }
  const std::string url = absl::StrCat(parts.scheme, request.server_name, parts.port, parts.rest);
  curl_easy_setopt(exchange->easy, CURLOPT_URL, url.c_str());
  exchange->connect_to =
      curl_slist_append(nullptr, absl::StrCat("::", parts.host, parts.port).c_str());
  curl_easy_setopt(exchange->easy, CURLOPT_CONNECT_TO, exchange->connect_to);
  exchange->headers =
      curl_slist_append(exchange->headers, absl::StrCat("Host: ", parts.host, parts.port).c_str());
}

void SetWebTls(CURL* easy, const WebRequest& request) {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
  curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  SetPem(easy, CURLOPT_CAINFO_BLOB, request.ca_pem);
  SetPem(easy, CURLOPT_SSLCERT_BLOB, request.certificate_pem);
  SetPem(easy, CURLOPT_SSLKEY_BLOB, request.key_pem);
}

WebError WebErrorOf(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return WebError::kNone;
    case CURLE_COULDNT_RESOLVE_HOST:
      return WebError::kResolve;
    case CURLE_COULDNT_CONNECT:
      return WebError::kConnect;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return WebError::kTls;
    case CURLE_OPERATION_TIMEDOUT:
      return WebError::kTimeout;
    default:
      return WebError::kBroken;
  }
}

}  // namespace

void Prepare(Exchange* exchange, const std::string& user_agent) {
  const WebRequest& request = exchange->request;
  CURL* easy = exchange->easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // A dead connection with HTTP/2 would be used for ever.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  // The client ends the exchange at its deadline, and not libcurl: see Linger. libcurl's timeout
  // determines the time for each of several addresses.
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                   std::max<long>(1, absl::ToInt64Milliseconds(request.timeout + kSpareTime)));
  // Otherwise libcurl would wait at the end of the client until all names are resolved.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, &NoteLookup);
  curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, exchange);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &TakeBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &TakeHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &OpenAllowedSocket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, exchange);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error_text);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
  SetWebTls(easy, request);
  exchange->headers = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : request.headers) {
    exchange->headers = curl_slist_append(exchange->headers, header.c_str());
  }
  SetWebUrl(exchange);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
}

void Linger(Exchange* exchange) {
  exchange->lingers = true;
  curl_easy_setopt(exchange->easy, CURLOPT_TIMEOUT_MS, 0L);
  curl_easy_setopt(exchange->easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(INT_MAX));
}

void Conclude(Exchange* exchange, CURLcode code) {
  exchange->resolving = false;
  WebResponse& response = exchange->response;
  response.error = WebErrorOf(code);
  if (exchange->too_large) response.error = WebError::kTooLarge;
  if (response.error == WebError::kConnect && !exchange->refused.empty()) {
    response.error = WebError::kForbidden;
    response.message = exchange->refused;
  } else if (response.error != WebError::kNone) {
    response.message =
        exchange->error_text[0] != '\0' ? exchange->error_text : curl_easy_strerror(code);
  }
  long status = 0;
  curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
}

}  // namespace xebec::http::internal
