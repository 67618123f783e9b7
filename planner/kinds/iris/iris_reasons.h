// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/kinds/reasons.h"

/// The conditions and events of an Iris.
namespace xebec::planner::iris {

inline constexpr std::string_view kDeploymentReady = "DeploymentReady";
inline constexpr std::string_view kDeploying = "Deploying";
inline constexpr std::string_view kProgressDeadlineExceeded = "ProgressDeadlineExceeded";
inline constexpr std::string_view kFailedCreate = "FailedCreate";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kDeploymentReady, "All replicas are ready and run the current spec."},
    {"Ready", "False", kDeploying, "Some replicas are not ready and their Pods give no reason."},
    {"Ready", "False", kQuotaExceeded, "A resource quota refuses Pods."},
    {"Ready", "False", kPodSecurityViolation, "Pod Security refuses Pods."},
    {"Ready", "False", kFailedCreate, "The API server refuses Pods for another reason."},
    {"Ready", "False", kProgressDeadlineExceeded,
     "The Deployment has made no progress for its progress deadline."},
    {"Progressing", "True", kDeploying, "The Deployment is rolling out."},
    {"Progressing", "False", kDeploymentReady, "Nothing is left to do."},
    {"Progressing", "False", "", "The Deployment has failed; the reason is that of Ready."},
    {"Stalled", "True", kProgressDeadlineExceeded,
     "The Deployment has made no progress for its progress deadline."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "The Deployment was created."},
    {"Normal", "Scaled", "The Deployment was scaled, also back after a change by somebody else."},
    {"Normal", "Deleted", "A Deployment of a former spec.deploymentName was deleted."},
};

}  // namespace xebec::planner::iris
