// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"
#include "yaml-cpp/yaml.h"

namespace xebec::kube::internal {

/// Levels of nesting that YamlToJson keeps.
inline constexpr int kMaxYamlDepth = 32;

/// The same value as JSON: plain scalars become null, booleans and numbers as in YAML's core
/// schema, quoted ones strings. Nesting beyond 32 levels gives null. May throw what yaml-cpp
/// throws.
Json YamlToJson(const YAML::Node& node, int depth = 0);

}  // namespace xebec::kube::internal
