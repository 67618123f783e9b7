// SPDX-License-Identifier: Apache-2.0
#include "common/http/easy_handles.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/loopback.h"

namespace xebec::http::internal {
namespace {

// An idle handle keeps its buffers.
constexpr size_t kIdleHandles = 16;
constexpr long kWatchBuffer = 16 * 1024 - 1;  // with the byte that libcurl adds, 16 KiB
constexpr long kUploadBuffer = 16 * 1024;     // the least that libcurl takes
constexpr char kAcceptJson[] = "Accept: application/json";
constexpr char kAcceptMetadata[] =
    "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";
/// A connection is dead if sent bytes or keep-alive probes are not acknowledged for this time.
constexpr unsigned kTcpUserTimeoutMs = 30000;

int TuneSocket(void*, curl_socket_t fd, curlsocktype) {
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kTcpUserTimeoutMs, sizeof(kTcpUserTimeoutMs));
  return CURL_SOCKOPT_OK;
}

/// Exec plugins must not inherit sockets.
curl_socket_t OpenSocket(void*, curlsocktype, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void SetBlob(CURL* easy, CURLoption option, const std::string& data) {
  if (data.empty()) {
    curl_easy_setopt(easy, option, nullptr);
    return;
  }
  curl_blob blob{const_cast<char*>(data.data()), data.size(), CURL_BLOB_COPY};
  curl_easy_setopt(easy, option, &blob);
}

/// Returns the host and port of "https://host:6443/prefix".
struct Origin {
  std::string scheme, host, port, prefix;
};

Origin Split(const std::string& server) {
  Origin origin;
  const size_t scheme_end = server.find("://");
  origin.scheme = server.substr(0, scheme_end);
  std::string rest = scheme_end == std::string::npos ? server : server.substr(scheme_end + 3);
  const size_t slash = rest.find('/');
  if (slash != std::string::npos) origin.prefix = rest.substr(slash);
  rest.resize(std::min(slash, rest.size()));
  const size_t colon = rest.rfind(':');
  const size_t bracket = rest.rfind(']');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  origin.host = has_port ? rest.substr(0, colon) : rest;
  origin.port = has_port ? rest.substr(colon + 1) : origin.scheme == "http" ? "80" : "443";
  return origin;
}

std::string BaseUrl(const kube::ClusterConfig& config) {
  if (config.tls_server_name.empty()) return config.server;
  const Origin origin = Split(config.server);
  return absl::StrCat(origin.scheme, "://", config.tls_server_name, ":", origin.port,
                      origin.prefix);
}

curl_slist* ConnectTo(const kube::ClusterConfig& config) {
  if (config.tls_server_name.empty()) return nullptr;
  const Origin origin = Split(config.server);
  return curl_slist_append(nullptr, absl::StrCat("::", origin.host, ":", origin.port).c_str());
}

}  // namespace

std::shared_ptr<const PreparedCredentials> Prepare(kube::Credentials credentials) {
  auto prepared = std::make_shared<PreparedCredentials>();
  if (!credentials.bearer_token.empty()) {
    prepared->authorization = absl::StrCat("Bearer ", credentials.bearer_token);
  } else if (!credentials.basic_user.empty()) {
    const std::string pair = absl::StrCat(credentials.basic_user, ":", credentials.basic_password);
    prepared->authorization = absl::StrCat("Basic ", absl::Base64Escape(pair));
  }
  prepared->credentials = std::move(credentials);
  return prepared;
}

EasyHandles::EasyHandles(const kube::ClusterConfig& config, const ApiClientOptions& options)
    : config_(config),
      options_(options),
      base_url_(BaseUrl(config)),
      connect_to_(ConnectTo(config)) {}

EasyHandles::~EasyHandles() {
  for (CURL* easy : idle_) curl_easy_cleanup(easy);
  curl_slist_free_all(connect_to_);
}

CURL* EasyHandles::Make(bool watch) {
  CURL* easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  // Otherwise the HTTP thread would wait for the DNS when a request ends before its name is
  // resolved. web_client.cc names the price, which counts only if the DNS is hostile.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kUploadBuffer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &OnBeforeRequest);
  if (watch) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnWatchHeader);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kWatchBuffer);
  }
  SetConnectionOptions(easy);
  return easy;
}

void EasyHandles::SetConnectionOptions(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Without a TLS handshake, libcurl does not know whether a connection supports several transfers.
  // It would let the others wait until the first one ends, and a watch does not end.
  const bool tls = absl::StartsWith(base_url_, "https://");
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, tls ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(options_.connect_timeout)));
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 15L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 5L);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &TuneSocket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
  curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  if (config_.insecure_skip_tls_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (connect_to_ != nullptr) curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_);
  if (!config_.proxy_url.empty()) {
    curl_easy_setopt(easy, CURLOPT_PROXY, config_.proxy_url.c_str());
    // as in client-go: a proxy cannot reach this machine's loopback
  } else if (IsLoopback(config_.server)) {
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  }
}

CURL* EasyHandles::Take(bool watch) {
  if (watch || idle_.empty()) return Make(watch);
  CURL* easy = idle_.back();
  idle_.pop_back();
  return easy;
}

void EasyHandles::Equip(Transfer* transfer,
                        std::shared_ptr<const PreparedCredentials> credentials) {
  if (credentials != credentials_) {
    headers_.clear();
    credentials_ = credentials;
  }
  transfer->easy = Take(transfer->is_watch());
  SetCredentials(transfer->easy, std::move(credentials));
  transfer->headers = Headers(transfer->request);
  SetRequest(transfer);
}

void EasyHandles::SetCredentials(CURL* easy,
                                 std::shared_ptr<const PreparedCredentials> credentials) {
  auto& equipped = equipped_[easy];
  if (equipped == credentials && credentials != nullptr) return;
  const kube::Credentials none;
  const kube::Credentials& c = credentials ? credentials->credentials : none;
  SetBlob(easy, CURLOPT_SSLCERT_BLOB, c.client_cert_pem);
  SetBlob(easy, CURLOPT_SSLKEY_BLOB, c.client_key_pem);
  SetBlob(easy, CURLOPT_CAINFO_BLOB, c.ca_pem.empty() ? config_.ca_pem : c.ca_pem);
  equipped = std::move(credentials);
}

void EasyHandles::SetRequest(Transfer* transfer) {
  CURL* easy = transfer->easy;
  const kube::ApiRequest& request = transfer->request;
  curl_easy_setopt(easy, CURLOPT_URL, absl::StrCat(base_url_, request.path).c_str());
  if (request.body.empty() && request.method != "POST" && request.method != "PUT") {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  } else {
    // libcurl does not copy the body
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers.get());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error_text);
  if (transfer->is_watch()) curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
}

HeaderList EasyHandles::Headers(const kube::ApiRequest& request) {
  HeaderList& list = headers_[{request.content_type, request.metadata_only}];
  if (list != nullptr) return list;
  curl_slist* headers =
      curl_slist_append(nullptr, request.metadata_only ? kAcceptMetadata : kAcceptJson);
  headers = curl_slist_append(headers, "Expect:");
  // Without this header libcurl would send the content type of a form.
  const std::string type = request.content_type.empty()
                               ? "Content-Type:"
                               : absl::StrCat("Content-Type: ", request.content_type);
  headers = curl_slist_append(headers, type.c_str());
  if (credentials_ && !credentials_->authorization.empty()) {
    headers = curl_slist_append(
        headers, absl::StrCat("Authorization: ", credentials_->authorization).c_str());
  }
  list = HeaderList(headers, curl_slist_free_all);
  return list;
}

void EasyHandles::Release(Transfer* transfer) {
  CURL* easy = std::exchange(transfer->easy, nullptr);
  if (easy == nullptr) return;
  if (transfer->is_watch() || idle_.size() >= kIdleHandles) {
    equipped_.erase(easy);
    curl_easy_cleanup(easy);
    return;
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, nullptr);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);
  idle_.push_back(easy);
}

}  // namespace xebec::http::internal
