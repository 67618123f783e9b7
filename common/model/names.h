// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace xebec {

/// Returns `name` if it has at most `limit` bytes; otherwise its beginning, "-" and eight
/// characters of its digest. Deterministic: different names have different results unless their
/// digests collide. The result ends with an alphanumeric character if `name` does.
std::string BoundedName(std::string_view name, size_t limit);

/// Returns a bounded name that contains the whole suffix: "<start of base>-<digest><suffix>".
/// `suffix` starts with its own dash ("-pod-0") and must be shorter than limit - 12.
std::string BoundedName(std::string_view base, std::string_view suffix, size_t limit);

/// Returns a valid label value for `name`: at most 63 characters. If `name` is longer or contains
/// characters that labels do not allow, the result contains a digest of `name`.
std::string LabelValue(std::string_view name);

/// Returns true for a DNS-1123 subdomain, which most object names are: at most 253 characters of
/// [a-z0-9.-]; each part between dots starts and ends with an alphanumeric character.
bool IsDns1123Subdomain(std::string_view name);

/// Returns true for a DNS-1123 label: a subdomain of one part with at most 63 characters.
bool IsDns1123Label(std::string_view name);

inline constexpr size_t kMaxObjectName = 253;
inline constexpr size_t kMaxLabel = 63;

}  // namespace xebec
