// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "planner/kinds/iris/iris.h"
#include "tests/support/planning.h"

namespace xebec::testing {

/// A scene with an Iris of irises.example.com.
inline Scene Iris(std::string_view spec, const std::string& name = "sample") {
  Json object = {{"metadata", {{"name", name}}}, {"spec", *ParseJson(spec)}};
  return Scene(planner::IrisKinds()[1], std::move(object));
}

/// A user changes a field of the spec.
inline void ChangeSpec(Scene& scene, const std::string& field, Json value) {
  scene.world.Edit(scene.parent, [&](Json& iris) { iris["spec"][field] = std::move(value); });
}

}  // namespace xebec::testing
