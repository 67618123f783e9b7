// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xebec::tls {

/// What is of interest in an X.509 certificate.
struct Certificate {
  absl::Time not_before;
  absl::Time not_after;
  std::vector<std::string> uris;       ///< URIs among its alternative names: whose it is.
  std::vector<std::string> dns_names;  ///< Names of the servers that it proves.
};

/// The first certificate in `pem`. INVALID_ARGUMENT when there is none. The texts of all errors
/// here are predicates ("is no PEM certificate") and never quote `pem`.
absl::StatusOr<Certificate> ReadCertificate(const std::string& pem);

/// OK when `key_pem` is a private key without a passphrase, and that of the first certificate in
/// `certificate_pem`. INVALID_ARGUMENT otherwise.
absl::Status CheckKey(const std::string& certificate_pem, const std::string& key_pem);

/// FAILED_PRECONDITION when the certificate has expired, or is not valid yet by more than the five
/// minutes that clocks may differ.
absl::Status CheckValidity(const Certificate& certificate, absl::Time now);

/// True when the first certificate in `pem` carries the signature of the first one in
/// `ca_pem`.
bool IsSignedBy(const std::string& pem, const std::string& ca_pem);

/// When the CA that signed the first certificate in `pem` expires: the latest one of `ca_pem` that
/// verifies its signature or, if none does, the latest one of all. InfinitePast when `ca_pem` holds
/// no certificate.
absl::Time CaExpiry(const std::string& ca_pem, const std::string& pem);

/// FAILED_PRECONDITION when all certificates in `ca_pem` have expired at `now`.
absl::Status CheckCaValidity(const std::string& ca_pem, absl::Time now);

/// The certificates of a bundle, one PEM text each; what is no certificate is left out.
std::vector<std::string> SplitBundle(const std::string& pem);

}  // namespace xebec::tls
