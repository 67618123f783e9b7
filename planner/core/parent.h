// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/json.h"
#include "common/model/object.h"
#include "common/model/resource.h"

namespace xebec::planner {

/// The parent, read once with checked accessors.
struct Parent {
  Json object;
  std::string group, version, kind;
  std::string ns, name, uid, resource_version;
  int64_t generation = 0;  ///< 0 in manifests as users write them.
  bool deleting = false;
  bool paused = false;
  std::vector<std::string> finalizers;
  std::string unreadable;  ///< Why the watcher shows no spec (kUnreadableMember); else empty.
};

/// INVALID_ARGUMENT says what is wrong with the parent: "parent.metadata.name is missing".
absl::StatusOr<Parent> ReadParent(const ObjectBytes& bytes);

/// The parent as the target of operations: its own version, the registered plural and scope.
ObjectRef ParentRef(const Parent& parent, const ResourceType& registered);

}  // namespace xebec::planner
