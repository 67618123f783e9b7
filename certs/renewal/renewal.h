// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "certs/renewal/identities.h"

namespace xebec::certs {

/// Keys and values of a Secret, decoded.
using SecretData = std::map<std::string, std::string>;

/// By name; a Secret that does not exist is not in it.
using Secrets = std::map<std::string, SecretData>;

/// The Secrets as they should be: certificates that are good are kept, what is old, unreadable or
/// for other names is issued again, and every Secret knows all CAs that are trusted. Equal
/// to `present` when nothing has to be done. Keys are drawn from OpenSSL's generator; otherwise
/// pure. INTERNAL when OpenSSL refuses.
///
/// Keys of a certificate's Secret: tls.crt, tls.key, ca.crt (all trusted CAs). The CA's
/// Secret has tls.crt and tls.key of the one that signs, next.crt and next.key of the one that
/// will, next.since (when the certificates' Secrets were last given it), and ca.crt.
absl::StatusOr<Secrets> Renew(const Secrets& present, const Options& options, absl::Time now);

}  // namespace xebec::certs
