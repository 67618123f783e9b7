// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// AppService and PodSet (both app.example.com/v1alpha1): a set of bare Pods
/// `<name>-pod-<ordinal>`.
///
/// spec:   replicas (size where that is absent; 1 where both are; at most 1000), image (busybox),
/// command
///         (sleep 3600; an empty list and args alone run the image's own), args, env, resources,
///         maxUnavailable (1), imagePullSecrets (of new Pods).
/// status: replicas, readyReplicas, podNames (by ordinal), selector (a string, for the scale
/// subresource), Ready,
///         Progressing, PodsStuck.
///
/// A change of image, command, args, env or resources replaces Pods, nothing else does. A Pod knows
/// by an annotation what it was made from, so neither defaults nor webhooks nor another way to
/// write a quantity replace it.
std::vector<Kind> PodSetKinds();

}  // namespace xebec::planner
