// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/model/plan.h"
#include "planner/core/child_state.h"
#include "planner/core/kind.h"
#include "planner/core/read_context.h"

namespace xebec::planner {

/// One desired child and its state.
struct ComparedChild {
  ObjectRef ref;
  ChildComparison comparison;
};

/// The changes that the children need.
struct ChildChanges {
  std::vector<Stage> stages;  ///< Without finalizers.
  /// Sorted by target. One intent for each desired, deleted and kept child.
  std::vector<ChildIntent> intents;
  std::vector<ComparedChild> compared;
  std::vector<std::string> waiting;  ///< The reasons why later stages wait, for users.
  /// Operations whose failures the kind reports itself (DesiredChild::kind_reports).
  std::set<std::string> reported_by_kind;
  std::vector<std::string> notes;  ///< Errors of the kind itself.
};

/// Turns a desired state into operations in stages, by the rules in kind.h.
ChildChanges PlanChildren(const View& view, const DesiredState& state);

/// Returns the deletion of a child in the view, with its uid as precondition and, for a stateful
/// kind, its resourceVersion too.
Operation DeleteOperation(const View& view, const Child& child, const ChildToDelete& to_delete);

/// Returns an intent for each existing child, all with the same reason.
std::vector<ChildIntent> KeepAll(const View& view, const std::string& reason);

}  // namespace xebec::planner
