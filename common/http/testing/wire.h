// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>

#include "common/kube/testing/test_pki.h"

namespace xebec::http::testing {

/// One accepted connection, plain or TLS. Blocking; one thread reads and writes, any may Shutdown.
class Wire {
 public:
  /// `tls` may be null.
  Wire(int fd, SSL_CTX* tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// TLS handshake; true at once without TLS.
  bool Accept();
  /// Some bytes, at least one; "" at the end.
  std::string Read();
  /// Exactly `size` bytes; nullopt at the end.
  std::optional<std::string> ReadExactly(size_t size);
  /// Puts bytes back in front of what is read next.
  void Unread(std::string bytes) { ahead_ = std::move(bytes) + ahead_; }
  bool Write(const std::string& bytes);
  /// Reads and drops until the peer closes or Shutdown is called.
  void Hang();
  /// Ends all reads and writes.
  void Shutdown();

 private:
  const int fd_;
  SSL* ssl_ = nullptr;
  std::string ahead_;
};

struct TlsSettings {
  kube::testing::KeyPair server;
  std::string client_ca_pem;  ///< Not empty: clients must show a certificate of it.
  bool offer_h2 = false;      ///< ALPN: h2 when the client offers it.
};

using TlsContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// A server context; null without settings.
TlsContext MakeTlsContext(const std::optional<TlsSettings>& settings);

}  // namespace xebec::http::testing
