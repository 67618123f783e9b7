// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/model/well_known.h"
#include "planner/core/child_changes.h"
#include "planner/core/declared.h"
#include "planner/core/reconcile.h"

/// Plans for parents whose children are not changed: paused parents, parents with children that
/// cannot be read, parents whose hook did not decide, and parents with an invalid spec.
namespace xebec::planner {
namespace {

// Returns the status fields of the kind with the parent's current values.
Json FrozenFields(const Reconcile& reconcile) {
  Json shown = ShownFields(reconcile.parent);
  if (!reconcile.state.status.is_object() || reconcile.state.status.empty()) return shown;
  Json fields = Json::object();
  for (const auto& [key, value] : reconcile.state.status.items()) {
    const auto at = shown.find(key);
    fields[key] = at == shown.end() ? Json() : *at;
  }
  return fields;
}

bool IsOurs(const Reconcile& reconcile, const std::string& type) {
  if (IsRuntimeCondition(type)) return true;
  const std::vector<Condition>& own = reconcile.state.conditions;
  return std::any_of(own.begin(), own.end(),
                     [&](const Condition& each) { return each.type == type; });
}

void FreezeConditions(const Reconcile& reconcile, StatusDraft* draft) {
  for (const ShownCondition& each : ReadConditions(reconcile.parent.object)) {
    if (!IsOurs(reconcile, each.condition.type)) continue;
    draft->conditions.push_back(each.condition);
    draft->generations[each.condition.type] = each.generation;
  }
}

// Returns the current status of the parent.
StatusDraft Frozen(const Reconcile& reconcile) {
  StatusDraft draft;
  draft.fields = FrozenFields(reconcile);
  draft.generation = FindInt(reconcile.parent.object, {"status", "observedGeneration"}).value_or(0);
  FreezeConditions(reconcile, &draft);
  return draft;
}

}  // namespace

void PlanWithUnreadKinds(const Reconcile& reconcile, Plan* plan) {
  const auto name = [](std::string* out, const ResourceType& type) {
    out->append(ResourceName(type));
  };
  const std::string message = absl::StrCat(
      absl::StrJoin(reconcile.context.unread, ", ", name),
      " cannot be read. Nothing is written until the watcher can read it again, and the "
      "rest of this status may be outdated. Check the watcher's log and its permissions");
  Failure failure;
  failure.reason = "NotWatched";
  failure.message = message;
  failure.warns = false;
  StatusDraft draft = Frozen(reconcile);
  Block(failure, &draft);
  for (const char* type : {"Stalled", "Paused"})
    SetCondition(&draft.conditions, {type, "", "", ""});
  AddKstatus(&draft);
  for (const char* type : {"Ready", "Reconciling"})
    draft.generations[type] = reconcile.parent.generation;
  plan->children = KeepAll(reconcile.view, "some kinds cannot be read");
  plan->complete = false;
  SetStatus(reconcile, draft, plan);
}

void PlanHookFailed(const Reconcile& reconcile, const std::string& reason,
                    const std::string& message, Plan* plan) {
  StatusDraft draft = Frozen(reconcile);
  SetCondition(&draft.conditions, {"HookFailed", "True", reason, message});
  draft.generations["HookFailed"] = reconcile.parent.generation;
  EventFact event;
  event.warning = true;
  event.reason = reason;
  event.action = "Plan";
  event.note = message;
  draft.events.push_back(std::move(event));
  draft.blocked = ConditionValue{"False", reason, message};
  plan->children = KeepAll(reconcile.view, "the hook did not decide");
  plan->complete = false;
  plan->verdict = Verdict::kRetry;
  plan->hook_failure = reason;
  plan->notes.push_back(message);
  SetStatus(reconcile, draft, plan);
}

void PlanPaused(const Reconcile& reconcile, Plan* plan) {
  const std::string message =
      absl::StrCat("The annotation ", std::string(kPausedAnnotation),
                   " is \"true\", so nothing is written. Remove the annotation to resume");
  StatusDraft draft = Frozen(reconcile);
  SetCondition(&draft.conditions, {"Paused", "True", "Paused", message});
  draft.generations["Paused"] = reconcile.parent.generation;
  draft.blocked = ConditionValue{"False", "Paused", message};
  plan->children = KeepAll(reconcile.view, "paused");
  plan->complete = reconcile.context.unread.empty();
  SetStatus(reconcile, draft, plan);
}

void PlanInvalid(const Reconcile& reconcile, const std::string& why, Plan* plan) {
  Failure failure{"InvalidSpec", why, /*needs_user=*/true, /*warns=*/true, "Plan"};
  StatusDraft draft;
  draft.fields = FrozenFields(reconcile);
  draft.conditions = reconcile.state.conditions;
  draft.generation = reconcile.parent.generation;
  for (const char* type : {"FieldManagerConflict", "Rewritten", "DeletionDeferred", "Paused"}) {
    draft.conditions.push_back({type, "", "", ""});
  }
  Block(failure, &draft);
  AddKstatus(&draft);
  plan->children = KeepAll(reconcile.view, "the spec is invalid");
  plan->complete = false;
  plan->verdict = Verdict::kInvalid;
  plan->resync_after = reconcile.state.resync_after;
  plan->notes.push_back(why);
  SetStatus(reconcile, draft, plan);
}

}  // namespace xebec::planner
