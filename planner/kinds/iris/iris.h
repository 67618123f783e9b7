// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Iris: a Deployment whose name and replicas the parent determines. One kind in two API groups:
/// irises.example.com and iris.test.myardyas.club, both v1alpha1. docs/crds.md lists the fields of
/// spec and status.
///
/// A Deployment of an original operator is adopted without a rollout: its selector is kept, and the
/// label of its Pods (pod_reason.h) is added with the next change of its template.
std::vector<Kind> IrisKinds();

}  // namespace xebec::planner
