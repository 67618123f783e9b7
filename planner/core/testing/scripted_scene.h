// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

namespace xebec::testing {

/// A spec of the scripted kind with one child.
inline constexpr const char* kOneChild =
    R"({"children": [{"kind": "ConfigMap", "object": {"metadata": {"name": "a"}, "data": {"x": "1"}}}]})";

/// A scene with the parent "p" of a scripted kind.
inline Scene Scripted(std::string_view spec, planner::Kind kind = ScriptedKind()) {
  return Scene(std::move(kind), {{"metadata", {{"name", "p"}}}, {"spec", *ParseJson(spec)}});
}

}  // namespace xebec::testing
