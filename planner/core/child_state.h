// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// How a desired child stands against what the cluster has.
enum class ChildState {
  kAbsent,       ///< No object of ours has that name.
  kTerminating,  ///< Ours, with a deletionTimestamp: wait until it is gone.
  kCurrent,      ///< As desired: nothing to write.
  kUnstamped,    ///< As desired but for labels or annotations (a child taken over from an original
                 ///< operator): applied once.
  kDiffers,      ///< To be applied.
  kRewritten,    ///< The API server or a webhook stores other values than the desired ones: left
                 ///< alone.
  kFieldManagerConflict,  ///< Another writer changes our fields back again and again: applied
                          ///< later.
};

struct ChildComparison {
  ChildState state = ChildState::kAbsent;
  const Child* live = nullptr;  ///< Null when absent. Points into the view.
  std::string
      field;  ///< First desired field with another value, "spec.replicas"; empty when unknown.
  absl::Duration wait;  ///< kFieldManagerConflict: until the next try.
};

/// The object as it is applied: apiVersion, kind, namespace, owner reference and digest annotation
/// added.
Json CompleteObject(const View& view, const DesiredChild& child);

/// Names a child of the view's parent.
ObjectRef ChildRef(const View& view, const ResourceType& type, const std::string& name);

/// Compares. Kinds use it to tell whether what they see of a child's status is about the spec that
/// they want.
ChildComparison CompareChild(const View& view, const DesiredChild& child);

/// The same for an object that CompleteObject has made.
ChildComparison CompareObject(const View& view, const ResourceType& type, const Json& object);

/// True when the child exists and its spec is what is wanted, as far as the API server lets it be.
inline bool IsAsDesired(ChildState state) {
  return state == ChildState::kCurrent || state == ChildState::kUnstamped ||
         state == ChildState::kRewritten;
}

}  // namespace xebec::planner
