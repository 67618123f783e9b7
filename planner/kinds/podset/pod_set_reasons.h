// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/kinds/reasons.h"

/// The conditions and events of a PodSet and of an AppService.
namespace xebec::planner::podset {

inline constexpr std::string_view kPodsReady = "PodsReady";
inline constexpr std::string_view kPodsNotReady = "PodsNotReady";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kReplacing = "Replacing";
inline constexpr std::string_view kScaling = "Scaling";
inline constexpr std::string_view kWaitingForPods = "WaitingForPods";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kPodsReady, "All Pods are ready and run the current template."},
    {"Ready", "False", kPodsNotReady, "Some Pods are not ready and report no reason."},
    {"Progressing", "True", kScaling, "Xebec creates or deletes Pods."},
    {"Progressing", "True", kReplacing, "Xebec replaces Pods of the previous template."},
    {"Progressing", "True", kWaitingForPods, "All Pods exist and some are not ready."},
    {"Progressing", "False", kComplete, "The change is complete."},
    {"Progressing", "False", kInvalidSpec, "The spec is invalid."},
    {"PodsStuck", "True", "TerminatingTooLong",
     "Pods still exist one minute after their grace period. The message names them."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "Xebec created a Pod."},
    {"Normal", "Deleted", "Xebec deleted a Pod. The message contains the reason."},
    {"Warning", "TerminatingTooLong", "Pods still exist one minute after their grace period."},
};

}  // namespace xebec::planner::podset
