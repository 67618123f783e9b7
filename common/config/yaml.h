// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/config/binding.h"

namespace xebec::config {

/// One leaf of a YAML file.
struct YamlEntry {
  std::string key;  ///< Dotted path.
  int line = 0;     ///< From 1.
  bool is_list = false;
  std::vector<std::string> values;  ///< Exactly one for a scalar.
};

/// Reads one document: maps of maps, scalars and lists of scalars. INVALID_ARGUMENT "<name>:<line>:
/// ..." for anything else, for keys that appear twice, and for malformed YAML.
absl::StatusOr<std::vector<YamlEntry>> ReadYaml(const std::string& text, const std::string& name);

/// The values of the bindings as YAML, in the order in which they were bound.
std::string PrintYaml(const std::vector<Binding>& bindings);

}  // namespace xebec::config
