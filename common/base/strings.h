// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace xebec {

/// Debian's Abseil has its own string_view: these two are the only bridge between it and std's.
inline absl::string_view ToAbsl(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view ToStd(absl::string_view s) { return {s.data(), s.size()}; }

/// `s` cut to at most `limit` bytes at a UTF-8 boundary, with "…" at the end where something was
/// cut.
std::string Ellipsize(std::string_view s, size_t limit);

/// `s` with every invalid UTF-8 sequence replaced by U+FFFD. For text of others that goes into
/// protobuf strings.
std::string ToValidUtf8(std::string_view s);

}  // namespace xebec
