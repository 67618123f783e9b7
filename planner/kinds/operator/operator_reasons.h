// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/kinds/reasons.h"

/// The conditions and events of an Operator.
namespace xebec::planner::declared {

inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kPaused = "Paused";
inline constexpr std::string_view kRefused = "Refused";
inline constexpr std::string_view kNotServed = "NotServed";
inline constexpr std::string_view kNotReadable = "NotReadable";
inline constexpr std::string_view kResolving = "Resolving";
inline constexpr std::string_view kServed = "Served";
inline constexpr std::string_view kHookUnavailable = "HookUnavailable";
inline constexpr std::string_view kHookAvailable = "HookAvailable";
inline constexpr std::string_view kConnecting = "Connecting";
inline constexpr std::string_view kAccepted = "Accepted";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kRunning, "The operator plans its parents."},
    {"Ready", "False", kPaused, "spec.paused is true: no parent is planned."},
    {"Ready", "False", kRefused, "The reason is in the condition Accepted."},
    {"Ready", "False", kNotServed, "The API server does not serve a resource."},
    {"Ready", "False", kNotReadable,
     "The watcher cannot read a resource, for example for want of rights."},
    {"Ready", "False", kResolving, "The watcher has not found out yet which resources are served."},
    {"Ready", "False", kHookUnavailable, "The hook cannot be reached. Parents wait."},
    {"Ready", "Unknown", kConnecting, "The first connection to the hook is not made yet."},
    {"Accepted", "True", kAccepted, "The watcher runs the operator."},
    {"Accepted", "False", kRefused,
     "The watcher does not run the operator, for example because another one has its parents."},
    {"ResourcesServed", "True", kServed, "All resources that the spec names can be read."},
    {"ResourcesServed", "False", kNotServed, "The API server does not serve a resource."},
    {"ResourcesServed", "False", kNotReadable, "The watcher cannot read a resource."},
    {"ResourcesServed", "Unknown", kResolving, "The watcher has not found out yet."},
    {"HookAvailable", "True", kHookAvailable, "The hook answers."},
    {"HookAvailable", "False", kHookUnavailable, "The hook cannot be reached."},
    {"HookAvailable", "Unknown", kConnecting, "The first connection is not made yet."},
};

inline constexpr EventDoc kEvents[] = {
    {"Warning", "Refused", "The watcher does not run the operator."},
    {"Warning", "NotServed", "The API server does not serve a resource that the operator names."},
    {"Warning", "NotReadable", "The watcher cannot read a resource that the operator names."},
    {"Warning", "HookUnavailable", "The hook cannot be reached."},
};

}  // namespace xebec::planner::declared
