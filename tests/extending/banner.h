// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Banner (demo.example.com/v1alpha1): a ConfigMap `<name>-banner` that contains spec.text.
std::vector<Kind> BannerKinds();

}  // namespace xebec::planner
