// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"

/// Certificates for tests: made in memory, never written to a file.
namespace xebec::kube::testing {

struct KeyPair {
  std::string cert_pem;
  std::string key_pem;
};

/// A new self-signed CA.
KeyPair MakeCa(absl::Time end = absl::FromCivil(absl::CivilYear(2120), absl::UTCTimeZone()));

/// A certificate for `name` (subject, and DNS name besides 127.0.0.1 in the alternative names),
/// signed by `ca`, valid until `end`; `uri` is added to the alternative names unless it is empty.
KeyPair MakeCertificate(const KeyPair& ca, const std::string& name,
                        absl::Time end = absl::FromCivil(absl::CivilYear(2120),
                                                         absl::UTCTimeZone()),
                        const std::string& uri = "");

}  // namespace xebec::kube::testing
