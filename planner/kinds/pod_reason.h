// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Label of Pods that a workload creates for a parent; the value is LabelValue(name of the parent).
/// The watcher selects the Pods by it. It does not prove ownership; see PodsOf.
inline constexpr std::string_view kParentLabel = "xebec.dev/parent";

/// The reason why a Pod is not ready.
struct PodReason {
  std::string reason;  ///< The reason in the Pod's status: "ImagePullBackOff".
  /// A sentence that names Pod and container. It does not change while the kubelet retries.
  std::string message;
};

/// Returns the rule for Pods that a child of the parent controls. Only their status is kept.
ChildRule IndirectPodRule();

/// Adds kParentLabel to the Pod template of a workload. Because a new label replaces the Pods, an
/// existing workload (`live`) gets it only together with another change of its template. `live` is
/// null for a new workload.
void LabelPods(const View& view, const Child* live, Json* object);

/// Returns the Pods of the view that `controller` controls, directly or (for a Deployment) through
/// a ReplicaSet, sorted by name. Omits Pods that are being deleted or have ended.
std::vector<const Child*> PodsOf(const View& view, const Child& controller);

/// Returns the most severe reason of the Pods; nullopt if none has a reason. Of equally severe
/// reasons, returns that of the first Pod. `shown` is the parent's current reason: a failing image
/// pull alternates between two reasons, and the current one is kept.
std::optional<PodReason> FindPodReason(const std::vector<const Child*>& pods,
                                       std::string_view shown);

/// Returns the reason of the parent's condition; empty if it has none.
std::string ShownReason(const View& view, std::string_view condition);

/// Returns the reason for a message with which the API server refused a Pod: QuotaExceeded,
/// PodSecurityViolation or `other`.
std::string_view RefusalReason(std::string_view message, std::string_view other);

}  // namespace xebec::planner
