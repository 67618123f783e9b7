// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/json.h"
#include "common/model/object.h"
#include "common/model/resource.h"

namespace xebec::planner {

/// The parent, parsed and validated.
struct Parent {
  Json object;
  std::string group, version, kind;
  std::string ns, name, uid, resource_version;
  int64_t generation = 0;  ///< 0 in a user's manifest.
  bool deleting = false;
  bool paused = false;
  std::vector<std::string> finalizers;
  /// The reason why the watcher omitted the spec (kUnreadableMember); otherwise empty.
  std::string unreadable;
};

/// Parses the parent. INVALID_ARGUMENT describes the error: "parent.metadata.name is missing".
absl::StatusOr<Parent> ReadParent(const ObjectBytes& bytes);

/// Returns true if the parent has the finalizer. `finalizer` may be empty.
bool HasFinalizer(const Parent& parent, std::string_view finalizer);

/// Returns the parent as a target of operations, with its own version and the registered plural and
/// scope.
ObjectRef ParentRef(const Parent& parent, const ResourceType& registered);

}  // namespace xebec::planner
