// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "planner/kinds/testing/pod_scene.h"

namespace xebec::testing {

/// A PodSet.
struct PodSet : PodScene {
  explicit PodSet(std::string_view spec, const std::string& name = "x")
      : PodScene("app.example.com", "PodSet", name, spec) {}

  /// Comes to rest with all Pods ready.
  void ConvergeReady() {
    Converge();
    MakeAllReady();
    Converge();
  }
};

}  // namespace xebec::testing
