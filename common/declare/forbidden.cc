// SPDX-License-Identifier: Apache-2.0
#include "common/declare/declaration.h"

namespace xebec {

// Whoever writes these can give himself every right, or can stop the runtime.
std::string WhyForbidden(const DeclaredResource& resource) {
  for (const char* group :
       {"rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io",
        "apiregistration.k8s.io", "certificates.k8s.io", "authentication.k8s.io",
        "authorization.k8s.io", "coordination.k8s.io"}) {
    if (resource.group == group) {
      return "belongs to group " + resource.group + ", which no operator may write";
    }
  }
  if (resource.group == kOperatorGroup) return "declares operators, and no operator may write it";
  return "";
}

}  // namespace xebec
