// SPDX-License-Identifier: Apache-2.0
#include "common/http/testing/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace xebec::http::testing {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio Open(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

X509* ReadCert(const std::string& pem) {
  return PEM_read_bio_X509(Open(pem).get(), nullptr, nullptr, nullptr);
}

int ChooseH2(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
             unsigned in_length, void*) {
  static const unsigned char kH2[] = "\x02h2";
  unsigned char* chosen = nullptr;
  const int result = SSL_select_next_proto(&chosen, out_length, kH2, 3, in, in_length);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

TlsContext MakeTlsContext(const std::optional<TlsSettings>& settings) {
  if (!settings) return {nullptr, &SSL_CTX_free};
  TlsContext context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  X509* cert = ReadCert(settings->server.cert_pem);
  EVP_PKEY* key =
      PEM_read_bio_PrivateKey(Open(settings->server.key_pem).get(), nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context.get(), cert);
  SSL_CTX_use_PrivateKey(context.get(), key);
  X509_free(cert);
  EVP_PKEY_free(key);
  if (!settings->client_ca_pem.empty()) {
    X509* ca = ReadCert(settings->client_ca_pem);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    SSL_CTX_set_session_id_context(context.get(), reinterpret_cast<const unsigned char*>("x"), 1);
  }
  if (settings->offer_h2) SSL_CTX_set_alpn_select_cb(context.get(), &ChooseH2, nullptr);
  return context;
}

Wire::Wire(int fd, SSL_CTX* tls) : fd_(fd) {
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (tls == nullptr) return;
  ssl_ = SSL_new(tls);
  SSL_set_fd(ssl_, fd_);
}

Wire::~Wire() {
  SSL_free(ssl_);
  close(fd_);
}

bool Wire::Accept() { return ssl_ == nullptr || SSL_accept(ssl_) == 1; }

std::string Wire::Read() {
  if (!ahead_.empty()) return std::exchange(ahead_, "");
  char buffer[16384];
  const ssize_t got = ssl_ != nullptr ? SSL_read(ssl_, buffer, sizeof(buffer))
                                      : recv(fd_, buffer, sizeof(buffer), 0);
  return got > 0 ? std::string(buffer, static_cast<size_t>(got)) : std::string();
}

std::optional<std::string> Wire::ReadExactly(size_t size) {
  std::string out;
  while (out.size() < size) {
    const std::string more = Read();
    if (more.empty()) return std::nullopt;
    out += more;
  }
  Unread(out.substr(size));
  out.resize(size);
  return out;
}

bool Wire::Write(const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent =
        ssl_ != nullptr
            ? SSL_write(ssl_, bytes.data() + done, static_cast<int>(bytes.size() - done))
            : send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

void Wire::Hang() {
  while (!Read().empty()) {
  }
}

void Wire::Trickle(const std::string& bytes, int milliseconds) {
  pollfd peer{fd_, POLLRDHUP, 0};
  for (size_t i = 0; Write(bytes.substr(i, 1)); i = (i + 1) % bytes.size()) {
    if (poll(&peer, 1, milliseconds) != 0) return;
  }
}

void Wire::Shutdown() { shutdown(fd_, SHUT_RDWR); }

void Wire::Reset() {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  connect(fd_, &nobody, sizeof(nobody));
}

}  // namespace xebec::http::testing
