// SPDX-License-Identifier: Apache-2.0
#include "common/declare/forbidden.h"

namespace xebec {

// A user who can write these objects can get every permission, or can stop the runtime.
std::string WhyForbidden(std::string_view group) {
  for (const std::string_view forbidden :
       {"rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io",
        "apiregistration.k8s.io", "certificates.k8s.io", "authentication.k8s.io",
        "authorization.k8s.io", "coordination.k8s.io"}) {
    if (group == forbidden) {
      return "belongs to group " + std::string(group) + ", which no operator may write";
    }
  }
  if (group == kOperatorGroup) return "declares operators, and no operator may write it";
  return "";
}

bool IsSecrets(std::string_view group, std::string_view plural) {
  return group.empty() && plural == "secrets";
}

}  // namespace xebec
