// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xebec::tls {

/// The fields of an X.509 certificate that Xebec uses.
struct Certificate {
  absl::Time not_before;
  absl::Time not_after;
  std::vector<std::string> uris;       ///< URIs among the alternative names: the identity.
  std::vector<std::string> dns_names;  ///< DNS names of the server.
};

/// Parses the first certificate in `pem`. INVALID_ARGUMENT when there is none. All error messages
/// of this file are predicates ("is no PEM certificate") and never quote `pem`.
absl::StatusOr<Certificate> ReadCertificate(const std::string& pem);

/// OK when `key_pem` is the private key, without a passphrase, of the first certificate in
/// `certificate_pem`. INVALID_ARGUMENT otherwise.
absl::Status CheckKey(const std::string& certificate_pem, const std::string& key_pem);

/// FAILED_PRECONDITION when the certificate has expired, or becomes valid more than five minutes
/// after `now` (the tolerance for clock skew).
absl::Status CheckValidity(const Certificate& certificate, absl::Time now);

/// True when the first certificate in `ca_pem` signed the first certificate in `pem`.
bool IsSignedBy(const std::string& pem, const std::string& ca_pem);

/// When the CA that signed the first certificate in `pem` expires: the latest one of `ca_pem` that
/// verifies its signature or, if none does, the latest one of all. InfinitePast when `ca_pem` holds
/// no certificate.
absl::Time CaExpiry(const std::string& ca_pem, const std::string& pem);

/// FAILED_PRECONDITION when all certificates in `ca_pem` have expired at `now`.
absl::Status CheckCaValidity(const std::string& ca_pem, absl::Time now);

/// Splits a bundle into its certificates, one PEM text each. Other text is dropped.
std::vector<std::string> SplitBundle(const std::string& pem);

}  // namespace xebec::tls
