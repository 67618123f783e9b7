// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/model/resource.h"

/// The Kubernetes resources that built-in kinds create.
namespace xebec::planner {

inline ResourceType ConfigMapType() { return {"", "v1", "ConfigMap", "configmaps", false}; }
inline ResourceType PodType() { return {"", "v1", "Pod", "pods", false}; }
inline ResourceType SecretType() { return {"", "v1", "Secret", "secrets", false}; }
inline ResourceType ServiceType() { return {"", "v1", "Service", "services", false}; }
inline ResourceType ClaimType() {
  return {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", false};
}
inline ResourceType DeploymentType() { return {"apps", "v1", "Deployment", "deployments", false}; }
inline ResourceType StatefulSetType() {
  return {"apps", "v1", "StatefulSet", "statefulsets", false};
}
inline ResourceType JobType() { return {"batch", "v1", "Job", "jobs", false}; }

}  // namespace xebec::planner
