// SPDX-License-Identifier: Apache-2.0
#include "common/kube/resource_version.h"

#include <algorithm>

namespace xebec::kube {

bool IsComparable(std::string_view version) {
  constexpr size_t kMaxDigits = 39;  // 128 bits
  return !version.empty() && version.size() <= kMaxDigits && version.front() != '0' &&
         std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b) {
  if (!IsComparable(a) || !IsComparable(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

}  // namespace xebec::kube
