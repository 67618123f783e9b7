// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace xebec::gateway {

/// A client certificate and its key, both PEM.
struct ClientCertificate {
  std::string certificate;
  std::string key;
};

/// The client certificates that hooks may ask for by name. Each is for certain hosts only, so that
/// nobody can make the gateway show it to another one. Thread-safe.
class Credentials {
 public:
  /// Parses entries "name=folder@host|*.domain". The folder contains tls.crt and tls.key, as a
  /// mounted Secret of the type kubernetes.io/tls does. INVALID_ARGUMENT names the invalid entry.
  static absl::StatusOr<Credentials> Make(const std::vector<std::string>& entries);

  /// Returns credentials that contain this certificate for every name and host.
  static Credentials Of(ClientCertificate certificate);

  /// Reads the files of a credential. PERMISSION_DENIED if there is none of this name for the host;
  /// FAILED_PRECONDITION if the files cannot be used.
  absl::StatusOr<ClientCertificate> Load(const std::string& name, const std::string& host) const;

 private:
  struct Entry {
    std::string folder;
    std::vector<std::string> hosts;
  };
  std::map<std::string, Entry> entries_;
  std::optional<ClientCertificate> certificate_;
};

}  // namespace xebec::gateway
