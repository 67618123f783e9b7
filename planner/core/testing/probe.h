// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "planner/core/kind.h"

/// A kind for tests only. It has features that no built-in kind needs yet: a finalizer, ordered
/// deletion and an indirectly owned kind. Only xebec-planner-test and xebec-planner-next plan it.
/// Its CRD is probe-crd.yaml.
namespace xebec::planner {

inline constexpr std::string_view kProbeFinalizer = "test.xebec.dev/probe";
/// Label of the claims: the Probe's name, by which the watcher finds them.
inline constexpr std::string_view kProbeLabel = "test.xebec.dev/probe";
/// Label of the claims: the Probe's uid, which proves their ownership.
inline constexpr std::string_view kProbeUidLabel = "test.xebec.dev/probe-uid";

/// Probe (probes.test.xebec.dev, v1). spec: replicas (0..20, default 1), data (object of strings),
/// fail (a message: the spec is invalid).
///
/// ConfigMap `<name>-direct` (stage 0), then StatefulSet `<name>-set` (stage 1), whose claims carry
/// the labels above. At the end: StatefulSet, then claims, then ConfigMap, then the finalizer.
/// status: readyReplicas, claims.
Kind ProbeKind();

/// Adds ProbeKind.
void RegisterTestKinds(KindRegistry* registry);

}  // namespace xebec::planner
