// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/kinds/reasons.h"

/// The conditions and events of an ImmortalContainer.
namespace xebec::planner::immortal {

inline constexpr std::string_view kPodReady = "PodReady";
inline constexpr std::string_view kPodNotReady = "PodNotReady";
inline constexpr std::string_view kPodOutdated = "PodOutdated";
inline constexpr std::string_view kPodEnded = "PodEnded";
inline constexpr std::string_view kPodUnknown = "PodUnknown";
inline constexpr std::string_view kPodTerminating = "PodTerminating";
inline constexpr std::string_view kNoPod = "NoPod";
inline constexpr std::string_view kEndsRepeatedly = "EndsRepeatedly";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kPodReady, "The Pod is ready."},
    {"Ready", "False", kPodNotReady, "The Pod is not ready and reports no reason."},
    {"Ready", "False", kPodOutdated,
     "The Pod runs another image than spec.image. Xebec replaces it."},
    {"Ready", "False", kPodEnded, "The Pod has ended. Xebec replaces it after the back-off."},
    {"Ready", "False", kPodTerminating, "The previous Pod is still terminating."},
    {"Ready", "False", kPodUnknown, "The node of the Pod does not report."},
    {"Ready", "False", kNoPod, "No Pod exists."},
    {"BackOff", "True", kEndsRepeatedly, "Xebec waits before the next start."},
    {"PodsStuck", "True", "TerminatingTooLong",
     "A Pod still exists one minute after its grace period. The message names it."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "Xebec created a Pod. The message contains the number of the start."},
    {"Normal", "Deleted", "Xebec deleted a Pod. The message contains the reason."},
    {"Warning", kEndsRepeatedly, "The Pod ended repeatedly within ten minutes of its start."},
    {"Warning", "TerminatingTooLong", "A Pod still exists one minute after its grace period."},
};

}  // namespace xebec::planner::immortal
