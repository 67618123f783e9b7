// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace xebec {

/// Convert between absl::string_view and std::string_view, which are different types in Debian's
/// Abseil.
inline absl::string_view ToAbsl(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view ToStd(absl::string_view s) { return {s.data(), s.size()}; }

/// Returns `s` cut to at most `limit` bytes at a UTF-8 boundary, with "…" at the end if it was cut.
std::string Ellipsize(std::string_view s, size_t limit);

/// Returns `s` with every invalid UTF-8 sequence replaced by U+FFFD. Used for text from other
/// programs that becomes a protobuf string.
std::string ToValidUtf8(std::string_view s);

}  // namespace xebec
