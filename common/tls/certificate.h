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

/// Parses the first certificate in `pem`. Returns INVALID_ARGUMENT if there is none. All error
/// messages of this file are predicates ("is not a PEM certificate") and never quote `pem`.
absl::StatusOr<Certificate> ReadCertificate(const std::string& pem);

/// Returns OK if `key_pem` is the private key, without a passphrase, of the first certificate in
/// `certificate_pem`; otherwise INVALID_ARGUMENT.
absl::Status CheckKey(const std::string& certificate_pem, const std::string& key_pem);

/// Returns FAILED_PRECONDITION if the certificate has expired, or becomes valid more than five
/// minutes after `now` (the tolerance for clock skew).
absl::Status CheckValidity(const Certificate& certificate, absl::Time now);

/// Returns true if the first certificate in `ca_pem` signed the first certificate in `pem`.
bool IsSignedBy(const std::string& pem, const std::string& ca_pem);

/// Returns the expiry of the CA that signed the first certificate in `pem`: the latest expiry among
/// the certificates of `ca_pem` that verify its signature or, if none does, among all of them.
/// Returns InfinitePast if `ca_pem` contains no certificate.
absl::Time CaExpiry(const std::string& ca_pem, const std::string& pem);

/// Returns FAILED_PRECONDITION if all certificates in `ca_pem` have expired at `now`.
absl::Status CheckCaValidity(const std::string& ca_pem, absl::Time now);

/// Splits a bundle into its certificates, one PEM text each. Other text is dropped.
std::vector<std::string> SplitBundle(const std::string& pem);

}  // namespace xebec::tls
