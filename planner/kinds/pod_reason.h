// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// On Pods that a workload makes for a parent: LabelValue(name of the parent). The watcher finds
/// them by it. The label proves nothing; see PodsOf.
inline constexpr std::string_view kParentLabel = "xebec.dev/parent";

/// Why a Pod is not ready.
struct PodReason {
  std::string reason;   ///< As the Pod gives it: "ImagePullBackOff".
  std::string message;  ///< A sentence that names Pod and container. It stays the same while the
                        ///< kubelet retries.
};

/// The rule for Pods that a child of the parent controls. Only their status is kept.
ChildRule IndirectPodRule();

/// Adds kParentLabel to the Pod template of a workload. A new label replaces the Pods, so `live`
/// gets it only together with another change of its template. Null: the workload is new.
void LabelPods(const View& view, const Child* live, Json* object);

/// The Pods of the view that `controller` controls, directly or, for a Deployment, through a
/// ReplicaSet, by name. Pods that are being deleted or have ended are left out.
std::vector<const Child*> PodsOf(const View& view, const Child& controller);

/// The most severe reason that the Pods give; nullopt when none gives one. Of equal reasons that
/// of the first Pod counts. `shown` is the reason that the parent shows now: a pull that fails
/// alternates between two reasons, and the one that is shown stays.
std::optional<PodReason> FindPodReason(const std::vector<const Child*>& pods,
                                       std::string_view shown);

/// The reason of the condition that the parent shows; empty when it shows none.
std::string ShownReason(const View& view, std::string_view condition);

/// The reason for a message of the API server that refuses a Pod: QuotaExceeded,
/// PodSecurityViolation or `other`.
std::string_view RefusalReason(std::string_view message, std::string_view other);

}  // namespace xebec::planner
