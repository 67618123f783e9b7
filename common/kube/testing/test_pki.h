// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"

/// Certificates for tests. They exist only in memory.
namespace xebec::kube::testing {

struct KeyPair {
  std::string cert_pem;
  std::string key_pem;
};

/// Makes a self-signed CA.
KeyPair MakeCa(absl::Time end = absl::FromCivil(absl::CivilYear(2120), absl::UTCTimeZone()));

/// Makes a certificate that `ca` signs and that is valid until `end`. Its subject is `name`; its
/// alternative names are the DNS name `name`, the address 127.0.0.1 and, unless empty, `uri`.
KeyPair MakeCertificate(const KeyPair& ca, const std::string& name,
                        absl::Time end = absl::FromCivil(absl::CivilYear(2120),
                                                         absl::UTCTimeZone()),
                        const std::string& uri = "");

}  // namespace xebec::kube::testing
