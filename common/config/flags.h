// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/config/binding.h"

namespace xebec::config {

/// The content of a command line.
struct Flags {
  bool help = false;
  bool version = false;
  bool print_config = false;
  std::string config;  ///< The file of --config; empty if not given.
  std::map<std::string, std::vector<std::string>> values;  ///< By key; only flags that were given.
};

/// Parses a command line; argv[0] is the program. Returns INVALID_ARGUMENT with the name of the
/// flag for flags that are unknown, have no value or are repeated (lists may be repeated), and for
/// arguments that are not flags.
absl::StatusOr<Flags> ReadFlags(int argc, const char* const* argv,
                                const std::vector<Binding>& bindings);

}  // namespace xebec::config
