// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace xebec::http {

/// The wait that a Retry-After header asks for: seconds or an HTTP date, clamped to 0–300 s.
/// nullopt for anything else.
std::optional<absl::Duration> ParseRetryAfter(std::string_view value, absl::Time now);

}  // namespace xebec::http
