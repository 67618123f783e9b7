// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"
#include "yaml-cpp/yaml.h"

namespace xebec::kube::internal {

/// The deepest nesting that YamlToJson keeps.
inline constexpr int kMaxYamlDepth = 32;

/// Converts a YAML value to JSON. Plain scalars become null, booleans and numbers by YAML's core
/// schema; quoted scalars become strings. Values nested deeper than kMaxYamlDepth become null. May
/// throw exceptions of yaml-cpp.
Json YamlToJson(const YAML::Node& node, int depth = 0);

}  // namespace xebec::kube::internal
