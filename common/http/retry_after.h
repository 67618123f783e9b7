// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace xebec::http {

/// Returns the duration in a Retry-After header, which contains seconds or an HTTP date, limited to
/// 0–300 s. Returns nullopt for any other content.
std::optional<absl::Duration> ParseRetryAfter(std::string_view value, absl::Time now);

}  // namespace xebec::http
