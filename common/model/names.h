// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace xebec {

/// `name` where it is at most `limit` bytes long, else its beginning, "-" and eight characters of
/// its digest. Deterministic; different inputs give different results but for a digest collision.
/// The result starts like `name` and ends with an alphanumeric character if `name` does.
std::string BoundedName(std::string_view name, size_t limit);

/// BoundedName(base + suffix) that always keeps the whole suffix: "<cut base>-<digest><suffix>".
/// `suffix` carries its own dash ("-pod-0") and must be shorter than limit - 12.
std::string BoundedName(std::string_view base, std::string_view suffix, size_t limit);

/// A value for a label: at most 63 characters, cut and hashed where `name` is longer, with
/// characters that labels do not allow replaced and hashed.
std::string LabelValue(std::string_view name);

/// DNS-1123 subdomain (names of most objects): at most 253 of [a-z0-9.-], alphanumeric at the ends
/// of every dot-separated part.
bool IsDns1123Subdomain(std::string_view name);

/// DNS-1123 label: as above, at most 63 characters, without dots.
bool IsDns1123Label(std::string_view name);

inline constexpr size_t kMaxObjectName = 253;
inline constexpr size_t kMaxLabel = 63;

}  // namespace xebec
