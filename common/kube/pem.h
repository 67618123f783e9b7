// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace xebec::kube::internal {

/// OK when `pem` holds at least one certificate. INVALID_ARGUMENT otherwise. Texts never quote
/// `pem`.
absl::Status CheckCaPem(const std::string& pem);

/// OK when `cert_pem` begins with a certificate that is valid at `now` and `key_pem` is its private
/// key. FAILED_PRECONDITION when it has expired or is not valid yet, INVALID_ARGUMENT otherwise.
absl::Status CheckClientCertificate(const std::string& cert_pem, const std::string& key_pem,
                                    absl::Time now);

}  // namespace xebec::kube::internal
