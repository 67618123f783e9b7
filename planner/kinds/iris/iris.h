// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Iris: a Deployment that is named, renamed and scaled by its parent. One kind under two groups:
/// irises.example.com and iris.test.myardyas.club, both v1alpha1.
///
/// spec:   deploymentName (default: the Iris's name, cut and hashed beyond 242 characters),
/// replicas (1), image, env, resources. status: readyReplicas, replicas, selector (a string, for
/// the scale subresource), Ready, Progressing.
std::vector<Kind> IrisKinds();

}  // namespace xebec::planner
