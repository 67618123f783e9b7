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
    {"Ready", "False", kDeploying, "Some replicas are not ready, and their Pods report no reason."},
    {"Ready", "False", kQuotaExceeded, "A resource quota rejects Pods."},
    {"Ready", "False", kPodSecurityViolation, "Pod Security rejects Pods."},
    {"Ready", "False", kFailedCreate, "The API server rejects Pods for another reason."},
    {"Ready", "False", kProgressDeadlineExceeded,
     "The Deployment has made no progress for its progress deadline."},
    {"Stalled", "True", kProgressDeadlineExceeded,
     "The Deployment has made no progress for its progress deadline."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "Xebec created the Deployment."},
    {"Normal", "Scaled",
     "Xebec scaled the Deployment, for example after another client had changed the replicas."},
    {"Normal", "Deleted", "Xebec deleted the Deployment of an earlier spec.deploymentName."},
};

}  // namespace xebec::planner::iris
