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

/// One desired child and how it stands.
struct ComparedChild {
  ObjectRef ref;
  ChildComparison comparison;
};

/// What has to be done about the children.
struct ChildChanges {
  std::vector<Stage> stages;  ///< Without finalizers.
  std::vector<ChildIntent>
      intents;  ///< Sorted by target; one for each desired, to_delete and kept child.
  std::vector<ComparedChild> compared;
  std::vector<std::string> waiting;  ///< For users: why later stages wait.
  /// Operations whose failures the kind reports itself (DesiredChild::kind_reports).
  std::set<std::string> reported_by_kind;
  std::vector<std::string> notes;  ///< Faults of the kind itself.
};

/// Turns a desired state into staged operations (kind.h has the rules).
ChildChanges PlanChildren(const View& view, const DesiredState& state);

/// Deletion of a child that the view shows, by uid; of a stateful kind by resourceVersion too.
Operation DeleteOperation(const View& view, const Child& child, const ChildToDelete& to_delete);

/// An intent for each existing child, all with the same reason.
std::vector<ChildIntent> KeepAll(const View& view, const std::string& reason);

}  // namespace xebec::planner
