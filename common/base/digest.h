// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace xebec {

/// SHA-256 of `data` as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view data);

/// The first `digits` (at most 64) hex digits of Sha256Hex.
std::string ShortDigest(std::string_view data, size_t digits);

}  // namespace xebec
