// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// The state of a desired child compared with the cluster.
enum class ChildState {
  kAbsent,       ///< The parent owns no object of that name.
  kTerminating,  ///< The parent's object has a deletionTimestamp: wait until it is gone.
  kCurrent,      ///< Equal to the desired object: nothing to write.
  /// Equal except for labels or annotations (a child taken over from an original operator): applied
  /// once.
  kUnstamped,
  kDiffers,  ///< Different or co-owned: applied.
  /// The API server or a webhook stores other values than the desired ones: not applied.
  kRewritten,
  kFieldManagerConflict,  ///< Another writer changes our fields repeatedly: applied later.
};

struct ChildComparison {
  ChildState state = ChildState::kAbsent;
  const Child* live = nullptr;  ///< Null when absent. Points into the view.
  /// The first desired field with another value, "spec.replicas"; empty if unknown.
  std::string field;
  absl::Duration wait;  ///< For kFieldManagerConflict: the time until the next attempt.
  /// The field manager of the kind owns fields by an update and by an apply (kCoOwnersMember). The
  /// next apply repairs this.
  bool co_owned = false;
};

/// Returns the complete object to apply: with apiVersion, kind, namespace, owner reference and
/// digest annotation.
Json CompleteObject(const View& view, const DesiredChild& child);

/// Returns the reference of a child.
ObjectRef RefOf(const Child& child);

/// Compares a desired child with the cluster. Kinds also use it to check whether the status of a
/// child belongs to the desired spec.
ChildComparison CompareChild(const View& view, const DesiredChild& child);

/// Like the function above, for an object from CompleteObject.
ChildComparison CompareObject(const View& view, const ResourceType& type, const Json& object);

/// Returns true if the set of the planner's fields in `live` is that of the completed `object`, so
/// that an apply by `manager` removes none. Returns false if that is not known.
bool HasSameFields(const Json& live, const Json& object, const std::string& manager);

/// Returns the JSON pointers of the fields of the completed `object` that have another value in
/// `live`, if a JSON patch of these by `manager` has the same effect as an apply: the manager owns
/// its fields by updates alone, none has to disappear, and none of the different fields is in a
/// list. Otherwise returns none.
std::vector<std::string> PatchableFields(const Json& live, const Json& object,
                                         const std::string& manager);

/// Returns true if the child exists with the desired spec, except for values that the API server
/// does not store.
inline bool IsAsDesired(ChildState state) {
  return state == ChildState::kCurrent || state == ChildState::kUnstamped ||
         state == ChildState::kRewritten;
}

}  // namespace xebec::planner
