// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>

#include "common/kube/testing/test_pki.h"

namespace xebec::http::testing {

/// One accepted connection, plain or TLS. Its methods block. One thread reads and writes; any
/// thread may call Shutdown.
class Wire {
 public:
  /// `tls` may be null.
  Wire(int fd, SSL_CTX* tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Performs the TLS handshake. Returns true at once without TLS.
  bool Accept();
  /// Reads at least one byte; returns "" at the end of the connection.
  std::string Read();
  /// Reads exactly `size` bytes; returns nullopt at the end of the connection.
  std::optional<std::string> ReadExactly(size_t size);
  /// Returns `bytes` from the next read, before other input.
  void Unread(std::string bytes) { ahead_ = std::move(bytes) + ahead_; }
  bool Write(const std::string& bytes);
  /// Discards input until the peer closes or Shutdown is called.
  void Hang();
  /// Writes `bytes` again and again, with a pause after each byte, until the peer closes or
  /// Shutdown is called.
  void Trickle(const std::string& bytes, int milliseconds);
  /// Ends all reads and writes.
  void Shutdown();
  /// Ends the connection. The peer sees a reset.
  void Reset();

 private:
  const int fd_;
  SSL* ssl_ = nullptr;
  std::string ahead_;
};

struct TlsSettings {
  kube::testing::KeyPair server;
  /// If not empty, clients must present a certificate that this CA signed.
  std::string client_ca_pem;
  bool offer_h2 = false;  ///< Selects h2 by ALPN if the client offers it.
};

using TlsContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// Returns a server context, or null without settings.
TlsContext MakeTlsContext(const std::optional<TlsSettings>& settings);

}  // namespace xebec::http::testing
