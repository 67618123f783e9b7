// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/fake_services.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace xebec::watcher::testing {
namespace {

Json DesiredPart(const Json& widget, const std::string& name, int64_t value) {
  const Json owner = {{"apiVersion", "example.com/v1"},
                      {"kind", "Widget"},
                      {"name", FindString(widget, {"metadata", "name"})},
                      {"uid", FindString(widget, {"metadata", "uid"})},
                      {"controller", true}};
  return {{"apiVersion", "v1"},
          {"kind", "Part"},
          {"metadata",
           {{"name", name},
            {"namespace", FindString(widget, {"metadata", "namespace"})},
            {"ownerReferences", {owner}}}},
          {"spec", {{"value", value}}}};
}

Operation MakeOperation(const Json& widget, const std::string& name, Precondition precondition,
                        Action action, const ResourceType& type = PartType()) {
  Operation operation;
  operation.target = {type, FindString(widget, {"metadata", "namespace"}), name};
  operation.id = OperationId(action, operation.target);
  operation.precondition = std::move(precondition);
  operation.action = std::move(action);
  return operation;
}

const ObjectGroup* GroupOf(const Observation& observation, const ResourceType& type) {
  for (const ObjectGroup& group : observation.children) {
    if (group.type == type) return &group;
  }
  return nullptr;
}

std::map<std::string, Json> ObjectsOf(const Observation& observation, const ResourceType& type) {
  std::map<std::string, Json> objects;
  const ObjectGroup* group = GroupOf(observation, type);
  if (group == nullptr) return objects;
  for (const ObjectBytes& bytes : group->objects) {
    Json object = *ParseJson(*bytes);
    const std::string name = FindString(object, {"metadata", "name"});
    objects[name] = std::move(object);
  }
  return objects;
}

bool HoldsFinalizer(const Json& widget) {
  const Json* list = Find(widget, {"metadata", "finalizers"});
  return list != nullptr && !list->empty();
}

Stage FinalizerStage(const Json& widget, Action action) {
  Precondition precondition;
  precondition.uid = FindString(widget, {"metadata", "uid"});
  precondition.resource_version = FindString(widget, {"metadata", "resourceVersion"});
  return {"finalizer",
          {MakeOperation(widget, FindString(widget, {"metadata", "name"}), std::move(precondition),
                         std::move(action), WidgetType())}};
}

std::string PartName(const Json& widget, int64_t i) {
  const std::string name = FindString(widget, {"spec", "name"});
  if (!name.empty()) return name;
  return FindString(widget, {"metadata", "name"}) + "-" + std::to_string(i);
}

// The stages in which a widget's parts are deleted that it does not have any more.
struct Deletions {
  Stage released{"release", {}}, others{"parts", {}};
};

Deletions DeletionsOf(const Observation& observation, const Json& widget,
                      const std::map<std::string, Json>& parts) {
  Deletions deletions;
  for (const auto& [name, part] : parts) {
    Precondition precondition;
    precondition.uid = FindString(part, {"metadata", "uid"});
    Operation operation = MakeOperation(widget, name, std::move(precondition), Delete{});
    const auto& release = observation.release;
    const bool first = std::find(release.begin(), release.end(), operation.target) != release.end();
    (first ? deletions.released : deletions.others).operations.push_back(std::move(operation));
  }
  return deletions;
}

void AddStage(Stage stage, Plan* plan) {
  if (!stage.operations.empty()) plan->stages.push_back(std::move(stage));
}

// Parts, then scraps, then, when live lists show that nothing is left, the finalizer.
void PlanEnd(const Observation& observation, const Json& widget, Plan* plan) {
  if (GroupOf(observation, ScrapType()) == nullptr || !HoldsFinalizer(widget)) return;
  const std::string uid = FindString(widget, {"metadata", "uid"});
  for (const ResourceType& type : {PartType(), ScrapType()}) {
    std::map<std::string, Json> objects = ObjectsOf(observation, type);
    std::erase_if(objects, [&](const auto& each) {
      return type == ScrapType() &&
             FindString(each.second, {"metadata", "labels", kWidgetUidLabel}) != uid;
    });
    if (objects.empty()) continue;
    Stage stage{"delete", {}};
    for (const auto& [name, object] : objects) {
      if (Find(object, {"metadata", "deletionTimestamp"}) != nullptr) continue;
      Precondition precondition;
      precondition.uid = FindString(object, {"metadata", "uid"});
      stage.operations.push_back(
          MakeOperation(widget, name, std::move(precondition), Delete{}, type));
    }
    if (!stage.operations.empty()) plan->stages.push_back(std::move(stage));
    return;
  }
  for (const ResourceType& type : {PartType(), ScrapType()}) {
    if (!GroupOf(observation, type)->live) plan->live_lists.push_back(type);
  }
  if (!plan->live_lists.empty()) return;
  plan->stages.push_back(FinalizerStage(widget, RemoveFinalizer{kWidgetFinalizer}));
}

}  // namespace

Plan MakeWidgetPlan(const Observation& observation) {
  const Json widget = *ParseJson(*observation.parent);
  Plan plan;
  plan.envelope = observation.envelope;
  plan.planner_revision = observation.envelope.planner_revision;
  plan.complete = true;
  if (observation.phase == Phase::kFinalize) {
    PlanEnd(observation, widget, &plan);
    return plan;
  }
  if (GroupOf(observation, ScrapType()) != nullptr && !HoldsFinalizer(widget)) {
    plan.stages.push_back(FinalizerStage(widget, AddFinalizer{kWidgetFinalizer}));
  }
  const int64_t value = FindInt(widget, {"spec", "value"}).value_or(0);
  const int64_t wanted = FindInt(widget, {"spec", "parts"}).value_or(0);
  std::map<std::string, Json> parts = ObjectsOf(observation, PartType());
  Stage stage{"parts", {}};
  int64_t right = 0;
  for (int64_t i = 0; i < wanted; ++i) {
    const std::string name = PartName(widget, i);
    const auto found = parts.find(name);
    const bool same = found != parts.end() && FindInt(found->second, {"spec", "value"}) == value;
    right += same ? 1 : 0;
    if (!same) {
      Precondition precondition;
      precondition.absent = found == parts.end();
      if (!precondition.absent) precondition.uid = FindString(found->second, {"metadata", "uid"});
      Apply apply{MakeObjectBytes(DumpJson(DesiredPart(widget, name, value)))};
      stage.operations.push_back(
          MakeOperation(widget, name, std::move(precondition), std::move(apply)));
    }
    parts.erase(name);
  }
  // Half of the widgets foresee what their writes bring.
  const bool foresees = value % 2 == 0;
  if (foresees) right = std::max<int64_t>(wanted, 0);
  Deletions deletions = DeletionsOf(observation, widget, parts);
  const bool deletes = !parts.empty();
  if (FindString(widget, {"spec", "name"}).empty()) {
    std::move(deletions.others.operations.begin(), deletions.others.operations.end(),
              std::back_inserter(stage.operations));
    deletions.others.operations.clear();
  }
  AddStage(std::move(deletions.released), &plan);
  AddStage(std::move(stage), &plan);
  AddStage(std::move(deletions.others), &plan);
  plan.covers_writes =
      foresees && !deletes && plan.stages.size() == 1 && plan.stages.front().name == "parts";
  const Json status = {{"parts", right},
                       {"observedGeneration", observation.envelope.parent.generation}};
  StatusIntent intent;
  intent.object = MakeObjectBytes(DumpJson(status));
  intent.changed = !widget.contains("status") || widget["status"] != status;
  intent.progress_only =
      intent.changed && value % 4 == 1 &&
      FindInt(widget, {"status", "observedGeneration"}) == observation.envelope.parent.generation;
  intent.observed_applied = ConditionValue{"True", "Applied", ""};
  plan.status = std::move(intent);
  return plan;
}

namespace {

bool Succeeded(const Outcome& outcome) { return outcome.certainty == Certainty::kDone; }

Outcome CarryOut(const Operation& operation, std::string* parent_version, FakeCluster* cluster) {
  const Precondition& need = operation.precondition;
  const ObjectRef& target = operation.target;
  if (const auto* apply = std::get_if<Apply>(&operation.action)) {
    return cluster->Apply(target.type, *ParseJson(*apply->object), need.absent, need.uid);
  }
  if (std::holds_alternative<Delete>(operation.action)) {
    return cluster->Delete(target.type, {target.ns, target.name}, need.uid);
  }
  const auto* add = std::get_if<AddFinalizer>(&operation.action);
  const std::string& finalizer =
      add != nullptr ? add->finalizer : std::get<RemoveFinalizer>(operation.action).finalizer;
  Outcome outcome =
      cluster->SetFinalizer(target.type, {target.ns, target.name}, need, finalizer, add != nullptr);
  if (Succeeded(outcome)) *parent_version = outcome.resource_version;
  return outcome;
}

// The planner of the product plans the whole object. Without the condition Applied.
Json StatusAfter(const StatusIntent& intent, const Json* live) {
  Json wanted = *ParseJson(*intent.object);
  if (!wanted.contains("kind")) return wanted;
  wanted = wanted["status"];
  Json amendments = intent.amendments == nullptr ? Json::object() : *ParseJson(*intent.amendments);
  for (Json& each : amendments.value("conditions", Json::array())) {
    wanted["conditions"].push_back(each);
  }
  amendments.erase("conditions");
  Json status = live == nullptr ? Json::object() : live->value("status", Json::object());
  status.merge_patch(wanted);
  status.merge_patch(amendments);
  return status;
}

Outcome NotStarted() {
  Outcome outcome;
  outcome.code = OutcomeCode::kNotStarted;
  outcome.certainty = Certainty::kRejected;
  return outcome;
}

}  // namespace

Report ApplyPlan(const Plan& plan, const ApplierFault& fault, FakeCluster* cluster) {
  Report report;
  report.envelope = plan.envelope;
  size_t n = 0;
  const auto take = [&](Outcome outcome, const std::string& id, const ObjectRef& target) {
    if (n++ == fault.unknown) {
      outcome = Outcome{};
      outcome.code = OutcomeCode::kTimeout;
      outcome.certainty = Certainty::kUnknown;
    }
    outcome.operation = id;
    outcome.target = target;
    report.outcomes.push_back(outcome);
    return Succeeded(outcome);
  };
  const ParentIdentity& parent = plan.envelope.parent;
  std::string version = parent.resource_version;
  bool failed = false;
  for (const Stage& stage : plan.stages) {
    const bool skip = failed;
    for (const Operation& operation : stage.operations) {
      const bool start = !skip && n < fault.operations;
      Outcome outcome = start ? CarryOut(operation, &version, cluster) : NotStarted();
      failed |= !take(std::move(outcome), operation.id, operation.target);
    }
  }
  if (plan.status.has_value() && plan.status->changed && n < fault.operations) {
    const ObjectKey key{parent.ref.ns, parent.ref.name};
    const Json* live = cluster->Find(parent.ref.type, key);
    take(cluster->WriteStatus(parent.ref.type, key, StatusAfter(*plan.status, live), version),
         std::string(kStatusOperation), parent.ref);
  }
  return report;
}

Report RefusePlan(const Plan& plan, OutcomeCode code) {
  Report report = ApplyPlan(plan, {.operations = 0}, nullptr);
  for (Outcome& outcome : report.outcomes) outcome.code = code;
  return report;
}

}  // namespace xebec::watcher::testing
