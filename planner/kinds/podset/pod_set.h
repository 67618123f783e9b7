// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// AppService and PodSet (both app.example.com/v1alpha1): a set of Pods `<name>-pod-<ordinal>`
/// without another controller. docs/crds.md lists the fields of spec and status.
///
/// Only a change of image, command, args, env or resources replaces Pods. An annotation of each Pod
/// has the digest of its template, so defaults, webhooks and other notations of a quantity do not
/// replace it.
std::vector<Kind> PodSetKinds();

}  // namespace xebec::planner
