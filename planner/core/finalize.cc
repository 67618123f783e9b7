// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/core/child_changes.h"
#include "planner/core/reconcile.h"

namespace xebec::planner {
namespace {

constexpr size_t kNamedRemains = 5;
// The API server adds this finalizer for a deletion with propagation policy Orphan. The garbage
// collector removes it when no child refers to the parent any more.
constexpr std::string_view kOrphanFinalizer = "orphan";

// An object that must be gone before the finalizer can be removed.
struct Remains {
  const Child* child = nullptr;
  ChildToDelete to_delete;
};

const ChildToDelete* FindToDelete(const View& view, const DesiredState& state, const Child& child) {
  for (const ChildToDelete& each : state.to_delete) {
    const bool same_kind = each.type.kind == child.type.kind && each.type.group == child.type.group;
    const bool same_place = ChildNamespace(view, child.type, each.ns) == child.ns;
    if (same_kind && same_place && each.name == child.name) return &each;
  }
  return nullptr;
}

// The remaining children, by stage. Children that the kind does not mention are in the first stage
// if the parent owns them by uid.
std::map<int, std::vector<Remains>> FindRemains(const Reconcile& reconcile) {
  int first = 0;
  for (const ChildToDelete& each : reconcile.state.to_delete) first = std::min(first, each.stage);
  std::map<int, std::vector<Remains>> remains;
  for (const Child& child : reconcile.view.children) {
    const ChildRule* rule = FindRule(reconcile.kind.description.children, child.type);
    const ChildToDelete* to_delete = FindToDelete(reconcile.view, reconcile.state, child);
    if (to_delete == nullptr && !rule->parent_label.empty()) continue;
    Remains each{&child, {}};
    each.to_delete.stage = first;
    if (to_delete != nullptr) each.to_delete = *to_delete;
    remains[each.to_delete.stage].push_back(std::move(each));
  }
  return remains;
}

std::string Names(const std::map<int, std::vector<Remains>>& remains) {
  std::string names;
  size_t count = 0;
  for (const auto& [stage, group] : remains) {
    for (const Remains& each : group) {
      if (++count > kNamedRemains) continue;
      absl::StrAppend(&names, names.empty() ? "" : ", ", Describe(RefOf(*each.child)));
    }
  }
  if (count > kNamedRemains) absl::StrAppend(&names, " and ", count - kNamedRemains, " more");
  return names;
}

void DeleteFirstStage(const Reconcile& reconcile,
                      const std::map<int, std::vector<Remains>>& remains, Plan* plan) {
  Stage stage{"delete", {}};
  for (const Remains& each : remains.begin()->second) {
    if (each.child->deleting) continue;
    stage.operations.push_back(DeleteOperation(reconcile.view, *each.child, each.to_delete));
    // Include the version, because an object that was orphaned meanwhile keeps its uid.
    RequireVersion(each.child->resource_version, &stage.operations.back().precondition);
  }
  if (!stage.operations.empty()) plan->stages.push_back(std::move(stage));
}

void AddIntents(const Reconcile& reconcile, const std::map<int, std::vector<Remains>>& remains,
                Plan* plan) {
  std::map<ObjectRef, ChildIntent> intents;
  for (const auto& [stage, group] : remains) {
    for (const Remains& each : group) {
      const ObjectRef ref = RefOf(*each.child);
      const char* reason = each.child->deleting              ? "terminating"
                           : stage != remains.begin()->first ? "waiting for earlier deletions"
                                                             : "the parent is being deleted";
      intents[ref] = {ref, Intent::kDelete, reason};
    }
  }
  for (const ChildIntent& kept : KeepAll(reconcile.view, "")) intents.try_emplace(kept.ref, kept);
  for (auto& [ref, intent] : intents) plan->children.push_back(std::move(intent));
}

void AddStatus(const Reconcile& reconcile, const std::string& message, Plan* plan) {
  StatusDraft draft;
  draft.fields = reconcile.state.status.is_object() ? reconcile.state.status : Json::object();
  draft.conditions = reconcile.state.conditions;
  draft.events = reconcile.state.events;
  draft.generation = reconcile.parent.generation;
  for (const char* type : {"FieldManagerConflict", "Rewritten", "Paused"}) {
    draft.conditions.push_back({type, "", "", ""});
  }
  SetCondition(&draft.conditions, {"Ready", "False", "Deleting", message});
  if (const auto failure = FindFailure(plan->stages, reconcile.view)) AddFailure(*failure, &draft);
  AddKstatus(&draft);
  SetStatus(reconcile, draft, plan);
}

// Only consistent lists that began after the last report prove that the objects are gone.
void Release(const Reconcile& reconcile, Plan* plan) {
  if (!reconcile.state.keeps_finalizer.empty()) {
    return AddStatus(reconcile, reconcile.state.keeps_finalizer, plan);
  }
  if (!reconcile.context.not_live.empty()) {
    for (const ChildRule& rule : reconcile.kind.description.children) {
      if (!IsShownOnly(rule)) plan->live_lists.push_back(rule.type);
    }
    AddStatus(reconcile, "Verifying that no child remains", plan);
    return;
  }
  plan->stages.push_back(FinalizerStage(reconcile, /*add=*/false));
  AddStatus(reconcile, "Verifying that no child remains", plan);
  // The parent may be gone afterwards, so the status is written only after a failure.
  if (plan->status.has_value()) {
    plan->status->changed = false;
    plan->status->events.clear();
  }
}

}  // namespace

void PlanFinalize(const Reconcile& reconcile, Plan* plan) {
  plan->complete = reconcile.context.unread.empty();
  if (!HasFinalizer(reconcile.parent, reconcile.kind.description.finalizer)) {
    plan->children = KeepAll(reconcile.view, "deleted by the garbage collector");
    return;
  }
  if (HasFinalizer(reconcile.parent, kOrphanFinalizer)) {
    plan->children = KeepAll(reconcile.view, "orphaned by the garbage collector");
    return;
  }
  const std::map<int, std::vector<Remains>> remains = FindRemains(reconcile);
  AddIntents(reconcile, remains, plan);
  plan->resync_after = reconcile.state.resync_after;
  if (remains.empty()) return Release(reconcile, plan);
  DeleteFirstStage(reconcile, remains, plan);
  AddStatus(reconcile, absl::StrCat("Waiting for the deletion of: ", Names(remains)), plan);
}

}  // namespace xebec::planner
