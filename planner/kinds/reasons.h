// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

/// The tables from which scripts/crd_reference.py generates the conditions and events in
/// docs/crds.md. Every kind has one header with its reasons and its tables.
namespace xebec::planner {

/// One reason of a condition. An empty status stands for any.
struct ConditionDoc {
  std::string_view type, status, reason, meaning;
};

/// One event.
struct EventDoc {
  std::string_view type, reason, meaning;
};

/// The spec is invalid: Ready has this reason for every kind.
inline constexpr std::string_view kInvalidSpec = "InvalidSpec";

/// Reasons that the Pods of a parent report. Every kind with Pods shows such a reason in the
/// condition Ready while the parent is not ready.
inline constexpr std::string_view kUnschedulable = "Unschedulable";
inline constexpr std::string_view kErrImagePull = "ErrImagePull";
inline constexpr std::string_view kImagePullBackOff = "ImagePullBackOff";
inline constexpr std::string_view kCrashLoopBackOff = "CrashLoopBackOff";
inline constexpr std::string_view kQuotaExceeded = "QuotaExceeded";
inline constexpr std::string_view kPodSecurityViolation = "PodSecurityViolation";
inline constexpr std::string_view kPodsNotCreated = "PodsNotCreated";

inline constexpr ConditionDoc kPodConditions[] = {
    {"Ready", "False", kUnschedulable, "The scheduler finds no node for a Pod."},
    {"Ready", "False", kErrImagePull, "The node cannot pull an image."},
    {"Ready", "False", kImagePullBackOff,
     "The node cannot pull an image and waits before it retries."},
    {"Ready", "False", kCrashLoopBackOff, "A container ends repeatedly."},
    {"Ready", "False", "CreateContainerConfigError, InvalidImageName, ...",
     "The kubelet cannot start a container for another reason."},
};

/// Returns the types of conditions in a table, for Kind::condition_types.
template <size_t kSize>
std::vector<std::string_view> TypesOf(const ConditionDoc (&table)[kSize]) {
  std::vector<std::string_view> types;
  for (const ConditionDoc& each : table) types.push_back(each.type);
  return types;
}

}  // namespace xebec::planner
