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
  std::vector<std::string> values;  ///< Exactly one value for a scalar.
};

/// Parses one document that consists of maps, scalars and lists of scalars. Returns
/// INVALID_ARGUMENT "<name>:<line>: ..." for other content, duplicate keys and malformed YAML.
absl::StatusOr<std::vector<YamlEntry>> ReadYaml(const std::string& text, const std::string& name);

/// Returns the values of the bindings as YAML, in the order of the bindings.
std::string PrintYaml(const std::vector<Binding>& bindings);

}  // namespace xebec::config
