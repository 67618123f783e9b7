// SPDX-License-Identifier: Apache-2.0
#include "planner/core/make_plan.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "planner/core/child_changes.h"
#include "planner/core/declared.h"
#include "planner/core/going_namespace.h"
#include "planner/core/reconcile.h"

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

void NoteMissingData(const Observation& observation, const Context& context, const Parent& parent,
                     Plan* plan) {
  std::vector<std::string> missing;
  if (observation.envelope.parent.uid.empty()) missing.emplace_back("an envelope");
  if (parent.uid.empty()) missing.emplace_back("the parent's metadata.uid");
  if (parent.resource_version.empty())
    missing.emplace_back("the parent's metadata.resourceVersion");
  if (observation.now == absl::InfinitePast()) missing.emplace_back("now");
  for (const ResourceType& type : context.unread) {
    missing.push_back(absl::StrCat("the children of kind ", type.kind));
  }
  if (missing.empty()) return;
  plan->notes.push_back(
      absl::StrCat("the observation lacks data that is needed to apply this plan: ",
                   absl::StrJoin(missing, ", ")));
}

std::vector<Outcome> SortedOutcomes(const Observation& observation) {
  std::vector<Outcome> outcomes = observation.last_outcomes;
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const Outcome& a, const Outcome& b) { return a.operation < b.operation; });
  return outcomes;
}

// Moves the objects out of `context`.
View MakeView(const Observation& observation, const Kind& kind, const Parent& parent,
              bool finalizing, Context* context) {
  return {.parent = parent.object,
          .kind = kind.description,
          .ns = parent.ns,
          .name = parent.name,
          .uid = parent.uid,
          .generation = parent.generation,
          .now = observation.now,
          .children = std::move(context->children),
          .related = std::move(context->related),
          .events = std::move(context->events),
          .last_outcomes = SortedOutcomes(observation),
          .finalizing = finalizing,
          .without_status = observation.without_status || !kind.writes_status,
          .release = observation.release,
          .facts = observation.declaration_facts ? &*observation.declaration_facts : nullptr};
}

// JSON accessors throw when a value has an unexpected type. One malformed parent must not end the
// process.
std::optional<std::string> Ask(const Kind& kind, const View& view, DesiredState* state) {
  try {
    *state = kind.desired(view);
    return std::nullopt;
  } catch (const std::exception& e) {
    return absl::StrCat(kind.description.controller, " cannot plan this parent: ", e.what());
  }
}

// Returns a contradiction in the observation that makes planning impossible.
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

// Returns a feature that the plan needs and the sender of the observation does not support; "" if
// there is none.
std::string_view MissingCapability(const Plan& plan, const Capabilities& capabilities) {
  if (!plan.live_lists.empty() && !capabilities.live_list) return "live lists";
  if (!plan.hook_requests.empty() && !capabilities.hooks) return "hook calls";
  if (capabilities.ensure_secret) return "";
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (std::holds_alternative<EnsureSecret>(operation.action)) return "ensure-secret";
    }
  }
  return "";
}

// Adjacent versions of the services work together: an older watcher retries until it is replaced.
Plan RefuseUnsupported(Plan plan, const Observation& observation) {
  const std::string_view what = MissingCapability(plan, observation.capabilities);
  if (what.empty()) return plan;
  Plan refused;
  refused.envelope = std::move(plan.envelope);
  refused.planner_revision = std::move(plan.planner_revision);
  return Refuse(std::move(refused), Verdict::kRetry,
                absl::StrCat("this plan needs ", std::string(what),
                             ", which the watcher or the applier does not support; upgrade it"));
}

// A manifest that a user sends has no envelope and no children: it is planned as a new object.
bool IsByHand(const Reconcile& reconcile) {
  return reconcile.observation.envelope.parent.uid.empty();
}

bool NeedsEvents(const Reconcile& reconcile) {
  return !reconcile.state.event_reads.empty() && !reconcile.view.events.has_value() &&
         reconcile.observation.capabilities.event_reads && !IsByHand(reconcile);
}

void PlanKnown(const Reconcile& reconcile, Plan* plan) {
  if (reconcile.view.finalizing) return PlanFinalize(reconcile, plan);
  if (reconcile.parent.paused) return PlanPaused(reconcile, plan);
  if (!reconcile.parent.unreadable.empty()) {
    return PlanInvalid(
        reconcile,
        absl::StrCat("the watcher cannot read this object: ", reconcile.parent.unreadable), plan);
  }
  if (!reconcile.context.unread.empty() && !IsByHand(reconcile))
    return PlanWithUnreadKinds(reconcile, plan);
  if (reconcile.state.invalid.has_value())
    return PlanInvalid(reconcile, *reconcile.state.invalid, plan);
  if (NeedsEvents(reconcile)) {
    plan->event_reads = reconcile.state.event_reads;
    return;
  }
  PlanSync(reconcile, plan);
}

Plan KeepUntilAttempt(const View& view, Plan plan) {
  plan.children = KeepAll(view, "the namespace is being deleted");
  plan.notes.emplace_back("the namespace is being deleted: nothing is written");
  plan.resync_after = TimeUntilAttempt(view);
  return plan;
}

// Fills the state of a reconcile. Returns false if the plan is complete without it.
using Decide = absl::FunctionRef<bool(Reconcile* reconcile, Plan* plan)>;

Plan PlanParent(const Observation& observation, const Kind& kind, Parent parent, Plan plan,
                Decide decide) {
  if (parent.ns.empty() && !kind.description.parent.cluster_scoped) {
    parent.ns = "default";
    plan.notes.emplace_back("the parent has no metadata.namespace: planned for \"default\"");
  }
  Context context = ReadContext(observation, kind.description, parent);
  if (!context.unreadable.empty()) {
    return Refuse(std::move(plan), Verdict::kRetry, absl::StrJoin(context.unreadable, "; "));
  }
  NoteMissingData(observation, context, parent, &plan);
  if (const auto why = Contradiction(observation, parent)) {
    return Refuse(std::move(plan), Verdict::kRetry, *why);
  }
  const bool finalizing = parent.deleting || observation.phase == Phase::kFinalize;
  const View view = MakeView(observation, kind, parent, finalizing, &context);
  const bool going = !finalizing && ParentNamespaceIsGoing(view);
  if (going && TimeUntilAttempt(view) != absl::ZeroDuration()) {
    return KeepUntilAttempt(view, std::move(plan));
  }
  Reconcile reconcile{observation, kind, parent, context, view, {}};
  if (decide(&reconcile, &plan)) PlanKnown(reconcile, &plan);
  if (going) LimitToAttempt(view, &plan);
  return plan;
}

Plan PlanBuiltIn(const Observation& observation, const Kind& kind, Parent parent, Plan plan,
                 std::string* kind_error) {
  const auto decide = [&](Reconcile* reconcile, Plan* decided) {
    const auto fault = Ask(kind, reconcile->view, &reconcile->state);
    if (!fault) return true;
    if (kind_error != nullptr) *kind_error = *fault;
    *decided = Refuse(std::move(*decided), Verdict::kRetry, *fault);
    return false;
  };
  return PlanParent(observation, kind, std::move(parent), std::move(plan), decide);
}

// The watcher compiles the same declaration: an error here means that it has changed meanwhile, or
// that the request was made by hand.
absl::StatusOr<std::pair<Declaration, Kind>> ReadDeclared(const Observation& observation,
                                                          const Parent& parent) {
  const absl::StatusOr<Json> object = ParseJson(*observation.declaration);
  if (!object.ok()) return object.status();
  absl::StatusOr<Declaration> declaration = ReadDeclaration(*object);
  if (!declaration.ok()) return declaration.status();
  absl::StatusOr<KindDescription> description =
      Compile(*declaration, observation.declared_resources);
  if (!description.ok()) return description.status();
  const ResourceType& declared = description->parent;
  if (declared.group != parent.group || declared.kind != parent.kind) {
    return absl::InvalidArgumentError(
        absl::StrCat("it declares ", declared.kind, ", not ", parent.kind));
  }
  Kind kind{*std::move(description), nullptr};
  kind.writes_status = declaration->status;
  return std::make_pair(*std::move(declaration), std::move(kind));
}

Plan PlanDeclared(const Observation& observation, const HookCodec* codec, Parent parent,
                  Plan plan) {
  if (codec == nullptr) {
    return Refuse(std::move(plan), Verdict::kInvalid, "this planner plans no declared kinds");
  }
  const auto declared = ReadDeclared(observation, parent);
  if (!declared.ok()) {
    return Refuse(std::move(plan), Verdict::kRetry,
                  absl::StrCat("declaration: ", declared.status().message()));
  }
  const auto decide = [&](Reconcile* reconcile, Plan* decided) {
    return DecideByHook(declared->first, *codec, reconcile, decided);
  };
  return PlanParent(observation, declared->second, std::move(parent), std::move(plan), decide);
}

}  // namespace

Plan MakePlan(const Observation& observation, const KindRegistry& kinds, std::string* kind_error) {
  Plan plan;
  plan.envelope = observation.envelope;
  plan.planner_revision = observation.envelope.planner_revision;
  absl::StatusOr<Parent> parent = ReadParent(observation.parent);
  if (!parent.ok()) {
    return Refuse(std::move(plan), Verdict::kInvalid, std::string(parent.status().message()));
  }
  if (observation.declaration != nullptr) {
    return RefuseUnsupported(
        PlanDeclared(observation, kinds.hook_codec(), *std::move(parent), std::move(plan)),
        observation);
  }
  const Kind* kind = kinds.Find(parent->group, parent->kind);
  if (kind == nullptr) {
    return Refuse(std::move(plan), Verdict::kInvalid, UnknownKind(*parent, kinds));
  }
  return RefuseUnsupported(
      PlanBuiltIn(observation, *kind, *std::move(parent), std::move(plan), kind_error),
      observation);
}

}  // namespace xebec::planner
