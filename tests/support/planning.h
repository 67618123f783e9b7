// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "planner/core/make_plan.h"
#include "tests/support/fake_world.h"

namespace xebec::testing {

/// One parent in a fake world and its kind: passes as the three services would make them.
struct Scene {
  FakeWorld world;
  planner::Kind kind;
  ObjectRef parent;

  /// Puts the parent there; `object` needs metadata.name.
  Scene(planner::Kind of_kind, Json object);

  /// The plan for the parent as it is now.
  Plan Ask(bool live = false) const;
  /// One pass: plans and carries out; live lists are answered at once. Returns the plan that was
  /// carried out last.
  Plan Reconcile();
  /// Passes until nothing is written; the number of passes that wrote. `limit` means that it never
  /// came to rest.
  int Converge(int limit = 20);

  /// The parent as it is; null JSON when it is gone.
  Json Parent() const;
  /// A condition of the parent: "False NameConflict"; empty when it shows none of that type.
  std::string ConditionOf(const std::string& type) const;
  std::string MessageOf(const std::string& type) const;
  ObjectRef Ref(const ResourceType& type, const std::string& name) const;
};

/// The operations of a plan by id, in order.
std::vector<std::string> OperationIds(const Plan& plan);
/// The object of an apply; null JSON when the plan has no such operation.
Json AppliedObject(const Plan& plan, const std::string& id);
/// The status that a plan shows; null JSON when it has none.
Json StatusOf(const Plan& plan);

}  // namespace xebec::testing
