// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace xebec::kube {

/// Returns true for a resourceVersion that KEP-5504 defines as comparable: at most 39 decimal
/// digits without a leading zero.
bool IsComparable(std::string_view version);

/// Compares two resourceVersions of the same resource as KEP-5504 defines: by length, then
/// lexically. Returns nullopt if one of them is not comparable.
std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b);

}  // namespace xebec::kube
