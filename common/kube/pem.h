// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace xebec::kube::internal {

/// Returns OK if `pem` contains at least one certificate, otherwise INVALID_ARGUMENT. Messages
/// never quote `pem`.
absl::Status CheckCaPem(const std::string& pem);

/// Returns OK if the first certificate of `cert_pem` is valid at `now` and `key_pem` is its private
/// key. Returns FAILED_PRECONDITION if it has expired or is not valid yet, otherwise
/// INVALID_ARGUMENT.
absl::Status CheckClientCertificate(const std::string& cert_pem, const std::string& key_pem,
                                    absl::Time now);

}  // namespace xebec::kube::internal
