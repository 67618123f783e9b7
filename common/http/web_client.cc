// SPDX-License-Identifier: Apache-2.0
#include "common/http/web_client.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/mutex.h"
#include "common/base/strings.h"
#include "common/http/threads.h"

namespace xebec::http {
namespace {

using Error = WebResponse::Error;

constexpr int kLongestPollMs = 1000;
constexpr size_t kMaxHeader = 512;

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
  char error_text[CURL_ERROR_SIZE] = {};

  ~Exchange() {
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
  }
};

size_t OnBody(char* data, size_t size, size_t count, void* userdata) {
  auto* exchange = static_cast<Exchange*>(userdata);
  const size_t bytes = size * count;
  if (exchange->response.body.size() + bytes > exchange->request.max_body_bytes) {
    exchange->too_large = true;
    return 0;
  }
  exchange->response.body.append(data, bytes);
  return bytes;
}

size_t OnHeader(char* data, size_t size, size_t count, void* userdata) {
  auto* exchange = static_cast<Exchange*>(userdata);
  const size_t bytes = size * count;
  const absl::string_view line(data, bytes);
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return bytes;
  const absl::string_view name = line.substr(0, colon);
  const absl::string_view value = absl::StripAsciiWhitespace(line.substr(colon + 1));
  const std::string kept(ToStd(value.substr(0, kMaxHeader)));
  if (absl::EqualsIgnoreCase(name, "retry-after")) exchange->response.retry_after = kept;
  if (absl::EqualsIgnoreCase(name, "location")) exchange->response.location = kept;
  return bytes;
}

curl_socket_t OpenSocket(void* userdata, curlsocktype, curl_sockaddr* address) {
  auto* exchange = static_cast<Exchange*>(userdata);
  if (exchange->request.check) {
    const std::string why = exchange->request.check(address->addr);
    if (!why.empty()) {
      exchange->refused = why;
      return CURL_SOCKET_BAD;
    }
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void SetBlob(CURL* easy, CURLoption option, const std::string& data) {
  if (data.empty()) return;
  curl_blob blob{const_cast<char*>(data.data()), data.size(), CURL_BLOB_COPY};
  curl_easy_setopt(easy, option, &blob);
}

struct UrlParts {
  std::string scheme, host, port, rest;
};

/// The URL has a port: Post's callers make it.
UrlParts Split(const std::string& url) {
  const size_t begin = url.find("://") + 3;
  const size_t slash = std::min(url.find('/', begin), url.size());
  const std::string authority = url.substr(begin, slash - begin);
  const size_t colon = std::min(authority.rfind(':'), authority.size());
  return {url.substr(0, begin), authority.substr(0, colon), authority.substr(colon),
          url.substr(slash)};
}

/// The certificate must contain the host of the URL. A different name becomes the host, and the
/// connection is made to the original host.
void SetUrl(Exchange* exchange) {
  const WebRequest& request = exchange->request;
  const UrlParts parts = Split(request.url);
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

void SetTls(CURL* easy, const WebRequest& request) {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
  curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  SetBlob(easy, CURLOPT_CAINFO_BLOB, request.ca_pem);
  SetBlob(easy, CURLOPT_SSLCERT_BLOB, request.certificate_pem);
  SetBlob(easy, CURLOPT_SSLKEY_BLOB, request.key_pem);
}

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
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                   std::max<long>(1, absl::ToInt64Milliseconds(request.timeout)));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, exchange);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error_text);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
  SetTls(easy, request);
  exchange->headers = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : request.headers) {
    exchange->headers = curl_slist_append(exchange->headers, header.c_str());
  }
  SetUrl(exchange);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
}

Error ErrorOf(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Error::kNone;
    case CURLE_COULDNT_RESOLVE_HOST:
      return Error::kResolve;
    case CURLE_COULDNT_CONNECT:
      return Error::kConnect;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return Error::kTls;
    case CURLE_OPERATION_TIMEDOUT:
      return Error::kTimeout;
    default:
      return Error::kBroken;
  }
}

void Conclude(Exchange* exchange, CURLcode code) {
  WebResponse& response = exchange->response;
  response.error = ErrorOf(code);
  if (exchange->too_large) response.error = Error::kTooLarge;
  if (response.error == Error::kConnect && !exchange->refused.empty()) {
    response.error = Error::kForbidden;
    response.message = exchange->refused;
  } else if (response.error != Error::kNone) {
    response.message =
        exchange->error_text[0] != '\0' ? exchange->error_text : curl_easy_strerror(code);
  }
  long status = 0;
  curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
}

}  // namespace

class WebClient::Impl {
 public:
  explicit Impl(Options options) : options_(std::move(options)), multi_(curl_multi_init()) {
    curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, options_.max_connections_per_host);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, options_.max_idle_connections);
    thread_ = std::thread([this] { Run(); });
  }

  ~Impl() {
    {
      MutexLock lock(&mu_);
      ending_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    curl_multi_cleanup(multi_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  uint64_t Post(WebRequest request, std::function<void(WebResponse)> done) {
    auto exchange = std::make_unique<Exchange>();
    exchange->request = std::move(request);
    exchange->done = std::move(done);
    uint64_t number = 0;
    {
      MutexLock lock(&mu_);
      number = exchange->number = ++numbers_;
      added_.push_back(std::move(exchange));
    }
    curl_multi_wakeup(multi_);
    return number;
  }

  void Cancel(uint64_t number) {
    {
      MutexLock lock(&mu_);
      cancelled_.push_back(number);
    }
    curl_multi_wakeup(multi_);
  }

 private:
  using Owned = std::unique_ptr<Exchange>;

  void Run() {
    internal::PrepareThread(options_.thread_name.c_str());
    while (TakeCommands()) {
      int running = 0;
      curl_multi_perform(multi_, &running);
      TakeEnded();
      curl_multi_poll(multi_, nullptr, 0, kLongestPollMs, nullptr);
    }
    while (!running_.empty()) Drop(running_.begin()->first);
  }

  /// Returns false if the client ends.
  bool TakeCommands() {
    std::vector<Owned> added;
    std::vector<uint64_t> cancelled;
    bool ending = false;
    {
      MutexLock lock(&mu_);
      added.swap(added_);
      cancelled.swap(cancelled_);
      ending = ending_;
    }
    for (Owned& exchange : added) Begin(std::move(exchange));
    for (const uint64_t number : cancelled) Drop(number);
    return !ending;
  }

  void Begin(Owned exchange) {
    Prepare(exchange.get(), options_.user_agent);
    Exchange* started = exchange.get();
    running_.emplace(started->number, std::move(exchange));
    if (curl_multi_add_handle(multi_, started->easy) != CURLM_OK) Drop(started->number);
  }

  void Drop(uint64_t number) {
    const auto found = running_.find(number);
    if (found == running_.end()) return;
    WebResponse& response = found->second->response;
    response = {};
    response.error = Error::kCancelled;
    response.message = "the request was cancelled";
    End(found);
  }

  void TakeEnded() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Exchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      Conclude(exchange, message->data.result);
      End(running_.find(exchange->number));
    }
  }

  void End(std::map<uint64_t, Owned>::iterator ended) {
    const Owned exchange = std::move(ended->second);
    running_.erase(ended);
    curl_multi_remove_handle(multi_, exchange->easy);
    exchange->done(std::move(exchange->response));
  }

  const Options options_;
  CURLM* const multi_;
  Mutex mu_;
  std::vector<Owned> added_ ABSL_GUARDED_BY(mu_);
  std::vector<uint64_t> cancelled_ ABSL_GUARDED_BY(mu_);
  uint64_t numbers_ ABSL_GUARDED_BY(mu_) = 0;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::map<uint64_t, Owned> running_;  // used by the thread only
  std::thread thread_;
};

WebClient::WebClient(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
WebClient::~WebClient() = default;

uint64_t WebClient::Post(WebRequest request, std::function<void(WebResponse)> done) {
  return impl_->Post(std::move(request), std::move(done));
}

void WebClient::Cancel(uint64_t number) { impl_->Cancel(number); }

}  // namespace xebec::http
