// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/config/binding.h"

namespace xebec::config {

/// Returns the text of --help: each flag with its help text and its current value as the default.
std::string PrintHelp(const std::string& program, const std::string& summary,
                      const std::vector<Binding>& bindings);

}  // namespace xebec::config
