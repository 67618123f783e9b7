// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "planner/core/make_plan.h"
#include "tests/support/fake_world.h"

namespace xebec::testing {

/// A fake world with one parent of one kind, whose reconciles have the effect of the three
/// services.
struct Scene {
  FakeWorld world;
  planner::Kind kind;
  ObjectRef parent;

  /// Creates the parent; `object` needs metadata.name.
  Scene(planner::Kind of_kind, Json object);

  /// Returns the plan for the present parent; reads of Events are answered at once.
  Plan Ask(bool live = false) const;
  /// Plans and carries out the plan; live lists are answered at once. Returns the plan that was
  /// carried out last. The test fails if the plan covers its writes, and the next one would write.
  Plan Reconcile();
  /// Reconciles until nothing is written. Returns the number of reconciles that wrote; `limit`
  /// means that the scene did not converge.
  int Converge(int limit = 20);

  /// Returns the parent; null JSON if it does not exist.
  Json Parent() const;
  /// Returns a condition of the parent: "False NameConflict"; empty if there is none of that type.
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
