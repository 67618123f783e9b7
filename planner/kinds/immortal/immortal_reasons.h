// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/kinds/reasons.h"

/// The conditions and events of an ImmortalContainer.
namespace xebec::planner::immortal {

inline constexpr std::string_view kPodReady = "PodReady";
inline constexpr std::string_view kPodNotReady = "PodNotReady";
inline constexpr std::string_view kPodEnded = "PodEnded";
inline constexpr std::string_view kPodUnknown = "PodUnknown";
inline constexpr std::string_view kPodTerminating = "PodTerminating";
inline constexpr std::string_view kNoPod = "NoPod";
inline constexpr std::string_view kEndsRepeatedly = "EndsRepeatedly";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kPodReady, "The Pod is ready."},
    {"Ready", "False", kPodNotReady, "The Pod is not ready and gives no reason."},
    {"Ready", "False", kPodEnded, "The Pod has ended and is replaced after the pause."},
    {"Ready", "False", kPodTerminating, "The previous Pod is still terminating."},
    {"Ready", "False", kPodUnknown, "The node of the Pod does not report."},
    {"Ready", "False", kNoPod, "No Pod exists."},
    {"BackOff", "True", kEndsRepeatedly, "Shown during a pause between two starts."},
    {"PodsStuck", "True", "TerminatingTooLong",
     "Shown while a Pod still terminates a minute after its grace period."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "A Pod was created; the message has the number of the start."},
    {"Normal", "Deleted", "A Pod was deleted; the message has the reason."},
    {"Warning", kEndsRepeatedly, "The Pod ended repeatedly within ten minutes of its start."},
    {"Warning", "TerminatingTooLong", "A Pod still terminates a minute after its grace period."},
};

}  // namespace xebec::planner::immortal
