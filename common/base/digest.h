// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace xebec {

/// Returns the SHA-256 digest of `data` as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view data);

/// Returns the first `digits` (at most 64) hex digits of Sha256Hex.
std::string ShortDigest(std::string_view data, size_t digits);

}  // namespace xebec
