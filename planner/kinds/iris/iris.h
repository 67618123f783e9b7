// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Iris: a Deployment that is named, renamed and scaled by its parent. One kind under two groups:
/// irises.example.com and iris.test.myardyas.club, both v1alpha1.
///
/// spec:   deploymentName (default: the Iris's name, cut and hashed beyond 242 characters),
///         replicas (1), image, env, resources, imagePullSecrets.
/// status: readyReplicas, replicas, selector (a string, for the scale subresource), conditions
///         (iris_reasons.h).
///
/// A Deployment of an original operator is adopted without a rollout: its selector is kept, and the
/// label of its Pods (pod_reason.h) is added together with the next change of its template.
std::vector<Kind> IrisKinds();

}  // namespace xebec::planner
