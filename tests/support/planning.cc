// SPDX-License-Identifier: Apache-2.0
#include "tests/support/planning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::testing {
namespace {

Json ConditionJson(const Json& parent, const std::string& type) {
  const Json* list = Find(parent, {"status", "conditions"});
  if (list == nullptr) return Json();
  for (const Json& each : *list) {
    if (FindString(each, {"type"}) == type) return each;
  }
  return Json();
}

// As the watcher decides.
bool AsDesired(const Report& report) {
  return std::all_of(report.outcomes.begin(), report.outcomes.end(),
                     [](const Outcome& each) { return each.as_desired; });
}

}  // namespace

Scene::Scene(planner::Kind of_kind, Json object) : kind(std::move(of_kind)) {
  parent = world.Put(kind.description.parent, std::move(object));
}

Plan Scene::Ask(bool live) const {
  planner::KindRegistry registry;
  registry.Register(kind);
  Observation observation = world.Observe(parent, kind.description, live);
  Plan plan = planner::MakePlan(observation, registry);
  if (plan.event_reads.empty()) return plan;
  observation.events.emplace();
  for (const Json& event : world.warnings) {
    observation.events->objects.push_back(MakeObjectBytes(DumpJson(event)));
  }
  return planner::MakePlan(observation, registry);
}

Plan Scene::Reconcile() {
  Plan plan = Ask();
  if (!plan.live_lists.empty()) plan = Ask(/*live=*/true);
  const Report report = world.Carry(plan);
  if (plan.covers_writes && AsDesired(report)) {
    const Plan next = Ask();
    EXPECT_TRUE(WritesNothing(next)) << "the watcher does not ask for this plan";
    EXPECT_EQ(next.resync_after, plan.resync_after);
  }
  return plan;
}

int Scene::Converge(int limit) {
  for (int reconciles = 0; reconciles < limit; ++reconciles) {
    if (world.Get(parent) == nullptr) return reconciles;
    const size_t before = world.writes.size();
    Reconcile();
    if (world.writes.size() == before) return reconciles;
  }
  return limit;
}

Json Scene::Parent() const {
  const Json* object = world.Get(parent);
  return object == nullptr ? Json() : *object;
}

std::string Scene::ConditionOf(const std::string& type) const {
  const Json condition = ConditionJson(Parent(), type);
  if (condition.is_null()) return "";
  return absl::StrCat(FindString(condition, {"status"}), " ", FindString(condition, {"reason"}));
}

std::string Scene::MessageOf(const std::string& type) const {
  return FindString(ConditionJson(Parent(), type), {"message"});
}

ObjectRef Scene::Ref(const ResourceType& type, const std::string& name) const {
  return {type, type.cluster_scoped ? "" : parent.ns, name};
}

std::vector<std::string> OperationIds(const Plan& plan) {
  std::vector<std::string> ids;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) ids.push_back(operation.id);
  }
  return ids;
}

Json AppliedObject(const Plan& plan, const std::string& id) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const auto* apply = std::get_if<Apply>(&operation.action);
      if (apply != nullptr && operation.id == id) return *ParseJson(*apply->object);
    }
  }
  return Json();
}

Json StatusOf(const Plan& plan) {
  if (!plan.status.has_value()) return Json();
  return (*ParseJson(*plan.status->object))["status"];
}

}  // namespace xebec::testing
