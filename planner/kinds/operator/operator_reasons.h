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
inline constexpr std::string_view kReconciled = "Reconciled";
inline constexpr std::string_view kReconcileFailed = "ReconcileFailed";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kRunning, "Xebec calls the hook and manages the parents."},
    {"Ready", "False", kPaused, "spec.paused is true: Xebec does not manage the parents."},
    {"Ready", "False", kRefused, "The condition Accepted is False; its message gives the reason."},
    {"Ready", "False", kNotServed, "The API server does not serve a resource of the spec."},
    {"Ready", "False", kNotReadable,
     "The watcher cannot read a resource of the spec, for example because it lacks permissions."},
    {"Ready", "False", kHookUnavailable,
     "The gateway cannot reach the hook. Changes of parents wait until it can."},
    {"Ready", "Unknown", kResolving, "The watcher has not read all resources of the spec yet."},
    {"Ready", "Unknown", kConnecting, "The gateway has not connected to the hook yet."},
    {"Accepted", "True", kAccepted, "The watcher runs the operator."},
    {"Accepted", "False", kRefused,
     "The watcher does not run the operator, for example because another operator already writes "
     "the status of these parents."},
    {"ResourcesServed", "True", kServed, "The watcher can read all resources of the spec."},
    {"ResourcesServed", "False", kNotServed,
     "The API server does not serve a resource of the spec."},
    {"ResourcesServed", "False", kNotReadable, "The watcher cannot read a resource of the spec."},
    {"ResourcesServed", "Unknown", kResolving,
     "The watcher has not read all resources of the spec yet."},
    {"HookAvailable", "True", kHookAvailable, "The hook answers."},
    {"HookAvailable", "False", kHookUnavailable, "The gateway cannot reach the hook."},
    {"HookAvailable", "Unknown", kConnecting, "The gateway has not connected to the hook yet."},
    {"ParentsReconciled", "True", kReconciled, "The last reconcile of every parent succeeded."},
    {"ParentsReconciled", "False", kReconcileFailed,
     "The last reconcile of some parents failed, or Xebec pauses the calls of the hook because "
     "they "
     "fail. The message has an example."},
};

/// The condition of a parent for which the hook gave no valid decision.
inline constexpr ConditionDoc kParentConditions[] = {
    {"HookFailed", "True", "HookUnavailable", "The gateway cannot connect to the hook."},
    {"HookFailed", "True", "HookTimeout", "The hook did not answer within spec.hook.timeout."},
    {"HookFailed", "True", "HookThrottled",
     "The hook asked Xebec to wait, or too many calls of the hook are waiting."},
    {"HookFailed", "True", "HookRejected", "The hook answered with an error of gRPC or HTTP."},
    {"HookFailed", "True", "HookTooLarge", "The answer is larger than the limit of the gateway."},
    {"HookFailed", "True", "HookMalformed", "The answer is not a message of the contract."},
    {"HookFailed", "True", "HookForbidden",
     "The configuration of the gateway does not allow the address of the hook."},
    {"HookFailed", "True", "HookAnswerInvalid",
     "The decision violates a rule. The message names the field."},
    {"HookFailed", "True", "HookInconsistent",
     "The hook has different answers to equal requests. The message names the field that differs."},
    {"HookFailed", "True", "HookError",
     "The function of the hook failed. The message comes from the function."},
};

inline constexpr EventDoc kEvents[] = {
    {"Warning", "Refused", "The watcher does not run the operator."},
    {"Warning", "NotServed", "The API server does not serve a resource of the spec."},
    {"Warning", "NotReadable", "The watcher cannot read a resource of the spec."},
    {"Warning", "HookUnavailable", "The gateway cannot reach the hook."},
    {"Warning", "ReconcileFailed", "The last reconcile of some parents failed."},
};

}  // namespace xebec::planner::declared
