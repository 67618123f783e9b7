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
inline constexpr std::string_view kInvalidSpec = "InvalidSpec";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kPodsReady, "All Pods are ready and run the current template."},
    {"Ready", "False", kPodsNotReady, "Some Pods are not ready and give no reason."},
    {"Progressing", "True", kScaling, "Pods are created or deleted."},
    {"Progressing", "True", kReplacing, "Pods of the previous template are replaced."},
    {"Progressing", "True", kWaitingForPods, "All Pods exist and some are not ready."},
    {"Progressing", "False", kComplete, "Nothing is left to do."},
    {"Progressing", "False", kInvalidSpec, "The spec is invalid."},
    {"PodsStuck", "True", "TerminatingTooLong",
     "Shown while Pods still terminate a minute after their grace period."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "A Pod was created."},
    {"Normal", "Deleted", "A Pod was deleted; the message has the reason."},
    {"Warning", "TerminatingTooLong", "Pods still terminate a minute after their grace period."},
};

}  // namespace xebec::planner::podset
