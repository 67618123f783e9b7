// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/config/binding.h"

namespace xebec::config {

/// What a command line says.
struct Flags {
  bool help = false;
  bool version = false;
  bool print_config = false;
  std::string config;                                      ///< --config FILE; empty when not given.
  std::map<std::string, std::vector<std::string>> values;  ///< By key; only flags that were given.
};

/// Reads a command line; argv[0] is the program. INVALID_ARGUMENT names flags that are unknown,
/// lack their value or are given twice (lists may be), and arguments that are no flags.
absl::StatusOr<Flags> ReadFlags(int argc, const char* const* argv,
                                const std::vector<Binding>& bindings);

}  // namespace xebec::config
