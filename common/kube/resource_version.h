// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace xebec::kube {

/// True for what KEP-5504 calls a comparable resourceVersion: decimal digits without leading zero,
/// at most 39.
bool IsComparable(std::string_view version);

/// Order of two resourceVersions of the same resource (KEP-5504: by length, then lexically);
/// nullopt when one of them is not comparable.
std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b);

}  // namespace xebec::kube
