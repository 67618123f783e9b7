// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/core/child_changes.h"
#include "planner/core/pass.h"

namespace xebec::planner {
namespace {

constexpr size_t kNamedRemains = 5;
// What the API server adds when the deletion asks to orphan; the garbage collector removes it when
// no child refers to the parent any more.
constexpr std::string_view kOrphanFinalizer = "orphan";

// An object that has to go before the finalizer can be removed.
struct Remains {
  const Child* child = nullptr;
  DoomedChild doomed;
};

const DoomedChild* FindDoomed(const DesiredState& state, const Child& child) {
  for (const DoomedChild& each : state.doomed) {
    if (each.type.kind == child.type.kind && each.name == child.name) return &each;
  }
  return nullptr;
}

// What there is of the parent, by stage. What is not mentioned by the kind goes first, if it is
// owned by uid.
std::map<int, std::vector<Remains>> FindRemains(const Pass& pass) {
  int first = 0;
  for (const DoomedChild& each : pass.state.doomed) first = std::min(first, each.stage);
  std::map<int, std::vector<Remains>> remains;
  for (const Child& child : pass.view.children) {
    const ChildRule* rule = FindRule(pass.kind.description.children, child.type);
    const DoomedChild* doomed = FindDoomed(pass.state, child);
    if (doomed == nullptr && !rule->parent_label.empty()) continue;
    Remains each{&child, {}};
    each.doomed.stage = first;
    if (doomed != nullptr) each.doomed = *doomed;
    remains[each.doomed.stage].push_back(std::move(each));
  }
  return remains;
}

std::string Names(const View& view, const std::map<int, std::vector<Remains>>& remains) {
  std::string names;
  size_t count = 0;
  for (const auto& [stage, group] : remains) {
    for (const Remains& each : group) {
      if (++count > kNamedRemains) continue;
      absl::StrAppend(&names, names.empty() ? "" : ", ",
                      Describe(ChildRef(view, each.child->type, each.child->name)));
    }
  }
  if (count > kNamedRemains) absl::StrAppend(&names, " and ", count - kNamedRemains, " more");
  return names;
}

void DeleteFirstStage(const Pass& pass, const std::map<int, std::vector<Remains>>& remains,
                      Plan* plan) {
  Stage stage{"delete", {}};
  for (const Remains& each : remains.begin()->second) {
    if (each.child->deleting) continue;
    stage.operations.push_back(DeleteOperation(pass.view, *each.child, each.doomed));
    // By its version too: an object that was orphaned since keeps its uid.
    RequireVersion(each.child->resource_version, &stage.operations.back().precondition);
  }
  if (!stage.operations.empty()) plan->stages.push_back(std::move(stage));
}

void AddIntents(const Pass& pass, const std::map<int, std::vector<Remains>>& remains, Plan* plan) {
  std::map<ObjectRef, ChildIntent> intents;
  for (const auto& [stage, group] : remains) {
    for (const Remains& each : group) {
      const ObjectRef ref = ChildRef(pass.view, each.child->type, each.child->name);
      const char* reason = each.child->deleting              ? "terminating"
                           : stage != remains.begin()->first ? "goes after what comes before it"
                                                             : "the parent is being deleted";
      intents[ref] = {ref, Intent::kDelete, reason};
    }
  }
  for (const ChildIntent& kept : KeepAll(pass.view, "")) intents.try_emplace(kept.ref, kept);
  for (auto& [ref, intent] : intents) plan->children.push_back(std::move(intent));
}

void AddStatus(const Pass& pass, const std::string& message, Plan* plan) {
  StatusDraft draft;
  draft.fields = pass.state.status.is_object() ? pass.state.status : Json::object();
  draft.conditions = pass.state.conditions;
  draft.events = pass.state.events;
  draft.generation = pass.parent.generation;
  for (const char* type : {"Contested", "Rewritten", "Paused"}) {
    draft.conditions.push_back({type, "", "", ""});
  }
  SetCondition(&draft.conditions, {"Ready", "False", "Deleting", message});
  if (const auto trouble = FindTrouble(plan->stages, pass.view)) AddTrouble(*trouble, &draft);
  AddKstatus(&draft);
  SetStatus(pass, draft, plan);
}

bool HoldsFinalizer(const Pass& pass, std::string_view finalizer) {
  const std::vector<std::string>& all = pass.parent.finalizers;
  return !finalizer.empty() && std::find(all.begin(), all.end(), finalizer) != all.end();
}

// Removal is certain only by consistent lists begun after the last report.
void Release(const Pass& pass, Plan* plan) {
  if (!pass.around.not_live.empty()) {
    for (const ChildRule& rule : pass.kind.description.children) {
      plan->live_lists.push_back(rule.type);
    }
    AddStatus(pass, "making sure that nothing is left", plan);
    return;
  }
  plan->stages.push_back(FinalizerStage(pass, /*add=*/false));
  AddStatus(pass, "making sure that nothing is left", plan);
  // The parent may be gone after that: only a failure is worth a write.
  if (plan->status.has_value()) {
    plan->status->changed = false;
    plan->status->events.clear();
  }
}

}  // namespace

void PlanFinalize(const Pass& pass, Plan* plan) {
  plan->complete = pass.around.not_looked.empty();
  if (!HoldsFinalizer(pass, pass.kind.description.finalizer)) {
    plan->children = KeepAll(pass.view, "left to the garbage collector");
    return;
  }
  if (HoldsFinalizer(pass, kOrphanFinalizer)) {
    plan->children = KeepAll(pass.view, "to be orphaned by the garbage collector");
    return;
  }
  const std::map<int, std::vector<Remains>> remains = FindRemains(pass);
  AddIntents(pass, remains, plan);
  plan->resync_after = pass.state.resync_after;
  if (remains.empty()) return Release(pass, plan);
  DeleteFirstStage(pass, remains, plan);
  AddStatus(pass, absl::StrCat("waits until these are gone: ", Names(pass.view, remains)), plan);
}

}  // namespace xebec::planner
