// SPDX-License-Identifier: Apache-2.0
#include "planner/core/make_plan.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "planner/core/child_changes.h"
#include "planner/core/pass.h"
#include "planner/core/troubles.h"

namespace xebec::planner {
namespace {

Plan Refuse(Plan plan, Verdict verdict, std::string note) {
  plan.verdict = verdict;
  plan.complete = false;
  plan.notes.push_back(std::move(note));
  return plan;
}

std::string UnknownKind(const Parent& parent, const KindRegistry& kinds) {
  std::vector<std::string> known;
  for (const Kind& kind : kinds.kinds()) {
    const ResourceType& type = kind.description.parent;
    known.push_back(absl::StrCat(type.kind, " (", type.group, ")"));
  }
  return absl::StrCat(
      "no controller for ", parent.kind, " in group \"", parent.group,
      "\"; this planner knows: ", known.empty() ? "none" : absl::StrJoin(known, ", "));
}

void NoteWhatIsMissing(const Observation& observation, const Surroundings& around,
                       const Parent& parent, Plan* plan) {
  std::vector<std::string> missing;
  if (observation.envelope.parent.uid.empty()) missing.emplace_back("an envelope");
  if (parent.uid.empty()) missing.emplace_back("the parent's metadata.uid");
  if (parent.resource_version.empty())
    missing.emplace_back("the parent's metadata.resourceVersion");
  if (observation.now == absl::InfinitePast()) missing.emplace_back("now");
  for (const ResourceType& type : around.not_looked) {
    missing.push_back(absl::StrCat("the children of kind ", type.kind));
  }
  if (missing.empty()) return;
  plan->notes.push_back(absl::StrCat("to be applied the plan needs what the observation lacks: ",
                                     absl::StrJoin(missing, ", ")));
}

// Takes the objects out of `around`.
View MakeView(const Observation& observation, const Kind& kind, const Parent& parent,
              bool finalizing, Surroundings* around) {
  return {.parent = parent.object,
          .kind = kind.description,
          .ns = parent.ns,
          .name = parent.name,
          .uid = parent.uid,
          .generation = parent.generation,
          .now = observation.now,
          .children = std::move(around->children),
          .related = std::move(around->related),
          .last_outcomes = observation.last_outcomes,
          .finalizing = finalizing,
          .without_status = observation.without_status,
          .configuration = around->configuration};
}

constexpr std::string_view kFault = " cannot plan this parent: ";

// The last net under a kind: JSON accessors of a wrong type throw, and one parent must never end
// the process.
std::optional<std::string> Ask(const Kind& kind, const View& view, DesiredState* state) {
  try {
    *state = kind.desired(view);
    return std::nullopt;
  } catch (const std::exception& e) {
    return absl::StrCat(kind.description.controller, ToAbsl(kFault), e.what());
  }
}

// Why an observation must not be planned although it can be read.
std::optional<std::string> Contradiction(const Observation& observation, const Parent& parent) {
  const std::string& uid = observation.envelope.parent.uid;
  if (uid.empty()) return std::nullopt;
  if (!parent.uid.empty() && uid != parent.uid) {
    return absl::StrCat("envelope.parent.uid is ", uid, ", but the parent's metadata.uid is ",
                        parent.uid);
  }
  if (observation.phase == Phase::kFinalize && !parent.deleting) {
    return "phase FINALIZE for a parent without deletionTimestamp";
  }
  return std::nullopt;
}

// What the plan needs and the sender of the observation does not understand; "" when there is none.
std::string_view Misunderstood(const Plan& plan, const Capabilities& capabilities) {
  if (!plan.live_lists.empty() && !capabilities.live_list) return "live lists";
  if (capabilities.ensure_secret) return "";
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (std::holds_alternative<EnsureSecret>(operation.action)) return "ensure-secret";
    }
  }
  return "";
}

// Adjacent versions of the services work together: an older watcher waits for its successor.
Plan RefuseWhatIsMisunderstood(Plan plan, const Observation& observation) {
  const std::string_view what = Misunderstood(plan, observation.capabilities);
  if (what.empty()) return plan;
  Plan refused;
  refused.envelope = std::move(plan.envelope);
  refused.planner_revision = std::move(plan.planner_revision);
  return Refuse(std::move(refused), Verdict::kRetry,
                absl::StrCat("this needs ", std::string(what),
                             ", which the watcher or the applier is too old to understand"));
}

// A manifest by hand comes without children: it is planned as if there were none.
bool IsByHand(const Pass& pass) { return pass.observation.envelope.parent.uid.empty(); }

void PlanKnown(const Pass& pass, Plan* plan) {
  if (pass.view.finalizing) return PlanFinalize(pass, plan);
  if (pass.parent.paused) return PlanPaused(pass, plan);
  if (!pass.parent.unreadable.empty()) {
    return PlanInvalid(pass, absl::StrCat("it cannot be read: ", pass.parent.unreadable), plan);
  }
  if (!pass.around.not_looked.empty() && !IsByHand(pass)) return PlanBlind(pass, plan);
  if (pass.state.invalid.has_value()) return PlanInvalid(pass, *pass.state.invalid, plan);
  PlanSync(pass, plan);
}

Plan PlanParent(const Observation& observation, const Kind& kind, Parent parent, Plan plan) {
  if (parent.ns.empty() && !kind.description.parent.cluster_scoped) {
    parent.ns = "default";
    plan.notes.emplace_back("the parent has no metadata.namespace: planned for \"default\"");
  }
  Surroundings around = LookAround(observation, kind.description, parent);
  if (!around.unreadable.empty()) {
    return Refuse(std::move(plan), Verdict::kRetry, absl::StrJoin(around.unreadable, "; "));
  }
  NoteWhatIsMissing(observation, around, parent, &plan);
  if (const auto why = Contradiction(observation, parent)) {
    return Refuse(std::move(plan), Verdict::kRetry, *why);
  }
  const bool finalizing = parent.deleting || observation.phase == Phase::kFinalize;
  const View view = MakeView(observation, kind, parent, finalizing, &around);
  if (!finalizing && NamespaceIsTerminating(view)) {
    plan.children = KeepAll(view, "the namespace is being deleted");
    plan.notes.emplace_back("the namespace is being deleted: nothing is written");
    return plan;
  }
  Pass pass{observation, kind, parent, around, view, {}};
  if (const auto fault = Ask(kind, view, &pass.state)) {
    return Refuse(std::move(plan), Verdict::kRetry, *fault);
  }
  PlanKnown(pass, &plan);
  return plan;
}

}  // namespace

void SetStatus(const Pass& pass, const StatusDraft& draft, Plan* plan) {
  const auto status = pass.parent.object.find("status");
  const bool unknown = status != pass.parent.object.end() && status->is_null();
  if (pass.observation.without_status || (unknown && !pass.parent.unreadable.empty())) {
    plan->events = EventsAlone(draft);
    return;
  }
  plan->status = MakeStatus(pass.parent, pass.view.now, draft);
}

Stage FinalizerStage(const Pass& pass, bool add) {
  const std::string& finalizer = pass.kind.description.finalizer;
  Operation operation;
  operation.target = ParentRef(pass.parent, pass.kind.description.parent);
  if (add) {
    operation.action = AddFinalizer{finalizer};
  } else {
    operation.action = RemoveFinalizer{finalizer};
  }
  operation.id = OperationId(operation.action, operation.target);
  operation.precondition.uid = pass.parent.uid;
  RequireVersion(pass.parent.resource_version, &operation.precondition);
  operation.observed_version = pass.parent.resource_version;
  return {"finalizer", {std::move(operation)}};
}

Plan MakePlan(const Observation& observation, const KindRegistry& kinds) {
  Plan plan;
  plan.envelope = observation.envelope;
  plan.planner_revision = observation.envelope.planner_revision;
  absl::StatusOr<Parent> parent = ReadParent(observation.parent);
  if (!parent.ok()) {
    return Refuse(std::move(plan), Verdict::kInvalid, std::string(parent.status().message()));
  }
  const Kind* kind = kinds.Find(parent->group, parent->kind);
  if (kind == nullptr) {
    return Refuse(std::move(plan), Verdict::kInvalid, UnknownKind(*parent, kinds));
  }
  return RefuseWhatIsMisunderstood(
      PlanParent(observation, *kind, *std::move(parent), std::move(plan)), observation);
}

std::string FaultOf(const Plan& plan) {
  if (plan.verdict != Verdict::kRetry) return "";
  for (const std::string& note : plan.notes) {
    if (note.find(kFault) != std::string::npos) return note;
  }
  return "";
}

}  // namespace xebec::planner
