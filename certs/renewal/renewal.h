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

/// Returns the Secrets as they should be. Valid certificates are kept; certificates that are old,
/// unreadable or have other names are replaced; every Secret contains all trusted CAs. The result
/// equals `present` when there is nothing to do. Pure, except that keys come from OpenSSL's random
/// generator. INTERNAL when OpenSSL fails.
///
/// The Secret of a certificate has the keys tls.crt, tls.key and ca.crt (all trusted CAs). The
/// Secret of the CA has tls.crt and tls.key of the active CA, next.crt and next.key of the
/// announced one, next.since (when all other Secrets received it), and ca.crt.
absl::StatusOr<Secrets> Renew(const Secrets& present, const Options& options, absl::Time now);

}  // namespace xebec::certs
