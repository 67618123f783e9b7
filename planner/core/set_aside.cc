// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/model/well_known.h"
#include "planner/core/child_changes.h"
#include "planner/core/pass.h"

/// Parents that are not acted on: paused ones, those of whose children some cannot be read, and
/// those whose spec cannot be planned.
namespace xebec::planner {
namespace {

// The kind's fields with the values that the parent shows: a status that stands still.
Json FrozenFields(const Pass& pass) {
  Json shown = ShownFields(pass.parent);
  if (!pass.state.status.is_object() || pass.state.status.empty()) return shown;
  Json fields = Json::object();
  for (const auto& [key, value] : pass.state.status.items()) {
    const auto at = shown.find(key);
    fields[key] = at == shown.end() ? Json() : *at;
  }
  return fields;
}

bool IsOurs(const Pass& pass, const std::string& type) {
  if (IsRuntimeCondition(type)) return true;
  const std::vector<Condition>& own = pass.state.conditions;
  return std::any_of(own.begin(), own.end(),
                     [&](const Condition& each) { return each.type == type; });
}

void FreezeConditions(const Pass& pass, StatusDraft* draft) {
  for (const ShownCondition& each : ReadConditions(pass.parent.object)) {
    if (!IsOurs(pass, each.condition.type)) continue;
    draft->conditions.push_back(each.condition);
    draft->generations[each.condition.type] = each.generation;
  }
}

// What the parent shows.
StatusDraft Frozen(const Pass& pass) {
  StatusDraft draft;
  draft.fields = FrozenFields(pass);
  draft.generation = FindInt(pass.parent.object, {"status", "observedGeneration"}).value_or(0);
  FreezeConditions(pass, &draft);
  return draft;
}

}  // namespace

void PlanBlind(const Pass& pass, Plan* plan) {
  const auto name = [](std::string* out, const ResourceType& type) {
    out->append(ResourceName(type));
  };
  const std::string message =
      absl::StrCat(absl::StrJoin(pass.around.not_looked, ", ", name),
                   " cannot be read at the moment: nothing is written, and the rest of this status "
                   "is as it was when that could be");
  Trouble trouble;
  trouble.reason = "NotWatched";
  trouble.message = message;
  trouble.warns = false;
  StatusDraft draft = Frozen(pass);
  Block(trouble, &draft);
  for (const char* type : {"Stalled", "Paused"})
    SetCondition(&draft.conditions, {type, "", "", ""});
  AddKstatus(&draft);
  for (const char* type : {"Ready", "Reconciling"})
    draft.generations[type] = pass.parent.generation;
  plan->children = KeepAll(pass.view, "some kinds cannot be read");
  plan->complete = false;
  SetStatus(pass, draft, plan);
}

void PlanPaused(const Pass& pass, Plan* plan) {
  const std::string message =
      absl::StrCat("the annotation ", std::string(kPausedAnnotation),
                   " is \"true\": nothing is written until it is taken away");
  StatusDraft draft = Frozen(pass);
  SetCondition(&draft.conditions, {"Paused", "True", "Paused", message});
  draft.generations["Paused"] = pass.parent.generation;
  draft.blocked = ConditionValue{"False", "Paused", message};
  plan->children = KeepAll(pass.view, "paused");
  plan->complete = pass.around.not_looked.empty();
  SetStatus(pass, draft, plan);
}

void PlanInvalid(const Pass& pass, const std::string& why, Plan* plan) {
  Trouble trouble{"InvalidSpec", why, /*needs_user=*/true, /*warns=*/true, "Plan"};
  StatusDraft draft;
  draft.fields = FrozenFields(pass);
  draft.conditions = pass.state.conditions;
  draft.generation = pass.parent.generation;
  for (const char* type : {"Contested", "Rewritten", "DeletionDeferred", "Paused"}) {
    draft.conditions.push_back({type, "", "", ""});
  }
  Block(trouble, &draft);
  AddKstatus(&draft);
  plan->children = KeepAll(pass.view, "the spec is invalid");
  plan->complete = false;
  plan->verdict = Verdict::kInvalid;
  plan->notes.push_back(why);
  SetStatus(pass, draft, plan);
}

}  // namespace xebec::planner
