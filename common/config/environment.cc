// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string_view>

#include "common/config/config.h"

namespace xebec::config {

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace xebec::config
