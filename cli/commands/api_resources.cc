// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/api_resources.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace xebec::cli {
namespace {

const std::vector<ResourceType>& OfKubernetes() {
  static const auto* const resources = new std::vector<ResourceType>{
      {"", "v1", "ConfigMap", "configmaps", false},
      {"", "v1", "Endpoints", "endpoints", false},
      {"", "v1", "LimitRange", "limitranges", false},
      {"", "v1", "Namespace", "namespaces", true},
      {"", "v1", "Node", "nodes", true},
      {"", "v1", "PersistentVolume", "persistentvolumes", true},
      {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", false},
      {"", "v1", "Pod", "pods", false},
      {"", "v1", "ReplicationController", "replicationcontrollers", false},
      {"", "v1", "ResourceQuota", "resourcequotas", false},
      {"", "v1", "Secret", "secrets", false},
      {"", "v1", "Service", "services", false},
      {"", "v1", "ServiceAccount", "serviceaccounts", false},
      {"apps", "v1", "ControllerRevision", "controllerrevisions", false},
      {"apps", "v1", "DaemonSet", "daemonsets", false},
      {"apps", "v1", "Deployment", "deployments", false},
      {"apps", "v1", "ReplicaSet", "replicasets", false},
      {"apps", "v1", "StatefulSet", "statefulsets", false},
      {"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", false},
      {"batch", "v1", "CronJob", "cronjobs", false},
      {"batch", "v1", "Job", "jobs", false},
      {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", false},
      {"networking.k8s.io", "v1", "Ingress", "ingresses", false},
      {"networking.k8s.io", "v1", "IngressClass", "ingressclasses", true},
      {"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", false},
      {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", false},
      {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", true},
      {"storage.k8s.io", "v1", "StorageClass", "storageclasses", true},
  };
  return *resources;
}

const ResourceType* FindIn(const std::vector<ResourceType>& types, const DeclaredResource& named) {
  const auto found = std::find_if(types.begin(), types.end(), [&](const ResourceType& type) {
    return type.group == named.group && type.version == named.version &&
           type.plural == named.plural;
  });
  return found == types.end() ? nullptr : &*found;
}

}  // namespace

void ApiResources::AddDefinition(const Json& definition) {
  ResourceType type;
  type.group = FindString(definition, {"spec", "group"});
  type.kind = FindString(definition, {"spec", "names", "kind"});
  type.plural = FindString(definition, {"spec", "names", "plural"});
  type.cluster_scoped = FindString(definition, {"spec", "scope"}) == "Cluster";
  const Json* versions = xebec::Find(definition, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array()) return;
  for (const Json& each : *versions) {
    type.version = FindString(each, {"name"});
    defined_.push_back(type);
  }
}

const ResourceType* ApiResources::Find(const DeclaredResource& resource) const {
  const ResourceType* found = FindIn(defined_, resource);
  return found != nullptr ? found : FindIn(OfKubernetes(), resource);
}

bool IsPluralOf(const std::string& plural, const std::string& kind) {
  const std::string singular = absl::AsciiStrToLower(kind);
  if (singular.empty()) return false;
  const std::string stem = singular.substr(0, singular.size() - 1);
  return plural == singular || plural == absl::StrCat(singular, "s") ||
         plural == absl::StrCat(singular, "es") ||
         (singular.back() == 'y' && plural == absl::StrCat(stem, "ies"));
}

}  // namespace xebec::cli
