// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/fake_servants.h"

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
          {"metadata", {{"name", name}, {"namespace", "default"}, {"ownerReferences", {owner}}}},
          {"spec", {{"value", value}}}};
}

Operation MakeOperation(const std::string& name, Precondition precondition, Action action) {
  Operation operation;
  operation.target = {PartType(), "default", name};
  operation.id = OperationId(action, operation.target);
  operation.precondition = std::move(precondition);
  operation.action = std::move(action);
  return operation;
}

std::map<std::string, Json> PartsOf(const Observation& observation) {
  std::map<std::string, Json> parts;
  for (const ObjectGroup& group : observation.children) {
    for (const ObjectBytes& bytes : group.objects) {
      Json part = *ParseJson(*bytes);
      const std::string name = FindString(part, {"metadata", "name"});
      parts[name] = std::move(part);
    }
  }
  return parts;
}

}  // namespace

Plan MakeWidgetPlan(const Observation& observation) {
  const Json widget = *ParseJson(*observation.parent);
  Plan plan;
  plan.envelope = observation.envelope;
  plan.planner_revision = observation.envelope.planner_revision;
  plan.complete = true;
  if (observation.phase == Phase::kFinalize) return plan;
  const int64_t value = FindInt(widget, {"spec", "value"}).value_or(0);
  std::map<std::string, Json> parts = PartsOf(observation);
  Stage stage{"parts", {}};
  int64_t right = 0;
  for (int64_t i = 0; i < FindInt(widget, {"spec", "parts"}).value_or(0); ++i) {
    const std::string name = FindString(widget, {"metadata", "name"}) + "-" + std::to_string(i);
    const auto found = parts.find(name);
    const bool same = found != parts.end() && FindInt(found->second, {"spec", "value"}) == value;
    right += same ? 1 : 0;
    if (!same) {
      Precondition precondition;
      precondition.absent = found == parts.end();
      if (!precondition.absent) precondition.uid = FindString(found->second, {"metadata", "uid"});
      Apply apply{MakeObjectBytes(DumpJson(DesiredPart(widget, name, value)))};
      stage.operations.push_back(MakeOperation(name, std::move(precondition), std::move(apply)));
    }
    parts.erase(name);
  }
  for (const auto& [name, part] : parts) {
    Precondition precondition;
    precondition.uid = FindString(part, {"metadata", "uid"});
    stage.operations.push_back(MakeOperation(name, std::move(precondition), Delete{}));
  }
  if (!stage.operations.empty()) plan.stages.push_back(std::move(stage));
  const Json status = {{"parts", right},
                       {"observedGeneration", observation.envelope.parent.generation}};
  StatusIntent intent;
  intent.object = MakeObjectBytes(DumpJson(status));
  intent.changed = !widget.contains("status") || widget["status"] != status;
  intent.observed_applied = ConditionValue{"True", "Applied", ""};
  plan.status = std::move(intent);
  return plan;
}

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
    report.outcomes.push_back(std::move(outcome));
  };
  const auto run = [&](const Operation& operation) {
    if (n >= fault.operations) {
      Outcome outcome;
      outcome.code = OutcomeCode::kNotStarted;
      outcome.certainty = Certainty::kRejected;
      return outcome;
    }
    const Precondition& need = operation.precondition;
    if (const auto* apply = std::get_if<Apply>(&operation.action)) {
      return cluster->Apply(operation.target.type, *ParseJson(*apply->object), need.absent,
                            need.uid);
    }
    return cluster->Delete(operation.target.type, {operation.target.ns, operation.target.name},
                           need.uid);
  };
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      take(run(operation), operation.id, operation.target);
    }
  }
  if (plan.status.has_value() && plan.status->changed && n < fault.operations) {
    const ParentIdentity& parent = plan.envelope.parent;
    take(cluster->WriteStatus({parent.ref.ns, parent.ref.name}, *ParseJson(*plan.status->object),
                              parent.resource_version),
         std::string(kStatusOperation), parent.ref);
  }
  return report;
}

}  // namespace xebec::watcher::testing
