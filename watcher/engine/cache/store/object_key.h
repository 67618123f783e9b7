// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>

namespace xebec::watcher {

/// Names an object within one resource.
struct ObjectKey {
  std::string ns;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};

}  // namespace xebec::watcher
