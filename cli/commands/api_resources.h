// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "common/base/json.h"
#include "common/model/hook.h"

namespace xebec::cli {

/// The resources that a file with manifests can name without a cluster: those of Kubernetes that
/// operators manage, and those of CustomResourceDefinitions.
class ApiResources {
 public:
  /// Adds the resource of a CustomResourceDefinition. Ignores fields that are malformed.
  void AddDefinition(const Json& definition);

  /// Returns the resource with its kind and scope; null if it is not known.
  const ResourceType* Find(const DeclaredResource& resource) const;

 private:
  std::vector<ResourceType> defined_;
};

/// Returns true if `plural` may be the plural of `kind`, as controller tools derive it.
bool IsPluralOf(const std::string& plural, const std::string& kind);

}  // namespace xebec::cli
