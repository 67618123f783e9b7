// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xebec::tls {

/// A certificate and its private key, both PEM.
struct KeyPair {
  std::string certificate;
  std::string key;
};

/// The contents of a certificate to issue.
struct Subject {
  std::string common_name;
  std::vector<std::string> dns_names;
  std::vector<std::string> addresses;  ///< Literal IP addresses.
  std::vector<std::string> uris;
  absl::Time not_before;
  absl::Time not_after;
};

/// Issues a self-signed certificate authority (CA) with ECDSA P-256 and path length 0. Uses only
/// the name and the times of `subject`. INTERNAL contains OpenSSL's error.
absl::StatusOr<KeyPair> IssueCa(const Subject& subject);

/// Issues a certificate with a new key, for servers and clients, signed by `ca`. Returns
/// INVALID_ARGUMENT if the CA's PEM is malformed, and INTERNAL if OpenSSL fails.
absl::StatusOr<KeyPair> IssueCertificate(const KeyPair& ca, const Subject& subject);

}  // namespace xebec::tls
