// SPDX-License-Identifier: Apache-2.0
#include "planner/core/child_changes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::planner {
namespace {

constexpr int kReleaseStage = std::numeric_limits<int>::min();  // before those of the kind

ResourceType SecretType() { return {"", "v1", "Secret", "secrets", false}; }

bool IsOnlyShown(const View& view, const Child& child) {
  const ChildRule* rule = FindRule(view.kind.children, child.type);
  return rule != nullptr && IsShownOnly(*rule);
}

struct StageDraft {
  std::vector<Operation> operations;
  bool holds = false;  // later stages must wait
};

std::string IntentReason(const ChildComparison& comparison) {
  switch (comparison.state) {
    case ChildState::kAbsent:
      return "absent";
    case ChildState::kTerminating:
      return "waiting for the terminating object of this name to be removed";
    case ChildState::kCurrent:
      return "";
    case ChildState::kUnstamped:
      return "adopted without changes to its spec";
    case ChildState::kDiffers:
      return comparison.field.empty() ? "differs" : absl::StrCat(comparison.field, " differs");
    case ChildState::kRewritten:
      return absl::StrCat(comparison.field, " is changed by the API server or a webhook");
    case ChildState::kFieldManagerConflict:
      return absl::StrCat(comparison.field, " is also written by another field manager");
  }
  return "";
}

class Draft {
 public:
  Draft(const View& view, const DesiredState& state) : view_(view), state_(state) {}

  ChildChanges Take() && {
    for (const ChildToDelete& to_delete : state_.to_delete) Remove(to_delete);
    for (const DesiredChild& desired : state_.children) Ensure(desired);
    for (const DesiredSecret& secret : state_.secrets) Ensure(secret);
    for (const Child& child : view_.children) {
      if (IsOnlyShown(view_, child)) continue;
      Mention(RefOf(child), Intent::kKeep, "");
    }
    Finish();
    return std::move(out_);
  }

 private:
  // Returns false if the target has been mentioned before; the first mention is used.
  bool Mention(const ObjectRef& ref, Intent intent, std::string reason) {
    return intents_.try_emplace(ref, ChildIntent{ref, intent, std::move(reason)}).second;
  }

  // Returns the rule for the type. Returns null and adds a note if the kind did not declare the
  // type.
  const ChildRule* Rule(const ResourceType& type, const std::string& name) {
    const ChildRule* rule = FindRule(view_.kind.children, type);
    if (rule == nullptr) {
      out_.notes.push_back(absl::StrCat(view_.kind.controller, " declares no children of kind ",
                                        type.kind, ": \"", name, "\" is left alone"));
    }
    return rule;
  }

  void Remove(const ChildToDelete& to_delete) {
    const ChildRule* rule = FindRule(view_.kind.children, to_delete.type);
    if (rule == nullptr) return;
    const std::string ns = ChildNamespace(view_, rule->type, to_delete.ns);
    const Child* child = view_.Find(rule->type, ns, to_delete.name);
    if (child == nullptr) return;
    if (!Mention(RefOf(*child), Intent::kDelete, to_delete.reason)) return;
    if (child->deleting) return;
    const int stage = MustRelease(*child) ? kReleaseStage : to_delete.stage;
    drafts_[stage].operations.push_back(DeleteOperation(view_, *child, to_delete));
  }

  // Another parent waits for its name, and this one waits for that parent.
  bool MustRelease(const Child& child) const {
    const ObjectRef ref = RefOf(child);
    return std::any_of(view_.release.begin(), view_.release.end(), [&](const ObjectRef& each) {
      return each.type.plural == ref.type.plural && each.type.group == ref.type.group &&
             each.ns == ref.ns && each.name == ref.name;
    });
  }

  void Ensure(const DesiredChild& desired) {
    const std::string name = FindString(desired.object, {"metadata", "name"});
    const ChildRule* rule = Rule(desired.type, name);
    if (rule == nullptr) return;
    const Json object = CompleteObject(view_, desired);
    const ObjectRef ref = {rule->type, FindString(object, {"metadata", "namespace"}), name};
    const ChildComparison comparison = CompareObject(view_, rule->type, object);
    if (!Mention(ref, Intent::kEnsure, IntentReason(comparison))) {
      drafts_[desired.stage].holds =
          true;  // a replacement: it is created once the old object is gone
      return;
    }
    out_.compared.push_back({ref, comparison});
    if (comparison.state == ChildState::kTerminating) {
      Hold(desired.stage, absl::StrCat(Describe(ref), " is still being deleted"));
    } else if (NeedsApply(comparison.state)) {
      drafts_[desired.stage].operations.push_back(
          ApplyOperation(desired, *rule, ref, object, comparison.live));
      if (desired.kind_reports) {
        out_.reported_by_kind.insert(drafts_[desired.stage].operations.back().id);
      }
    }
  }

  static bool NeedsApply(ChildState state) {
    return state == ChildState::kAbsent || state == ChildState::kUnstamped ||
           state == ChildState::kDiffers;
  }

  Operation ApplyOperation(const DesiredChild& desired, const ChildRule& rule, const ObjectRef& ref,
                           const Json& object, const Child* live) const {
    Operation operation;
    operation.target = ref;
    operation.action = Apply{MakeObjectBytes(DumpJson(object))};
    operation.id = OperationId(operation.action, ref);
    operation.precondition.absent = live == nullptr;
    operation.memo = desired.memo;
    operation.events = live == nullptr ? desired.on_created : desired.on_changed;
    for (EventFact& event : operation.events) {
      event.condition = live == nullptr ? EventCondition::kCreated : EventCondition::kChanged;
    }
    if (live == nullptr) return operation;
    auto& apply = std::get<Apply>(operation.action);
    apply.same_fields = HasSameFields(live->object, object, view_.kind.controller);
    apply.changed_fields = PatchableFields(live->object, object, view_.kind.controller);
    operation.precondition.uid = live->uid;
    operation.observed_version = live->resource_version;
    // A label proves ownership only at the version that the planner saw.
    if (desired.by_version || !rule.parent_label.empty()) {
      RequireVersion(live->resource_version, &operation.precondition);
    }
    return operation;
  }

  void Ensure(const DesiredSecret& secret) {
    Operation operation;
    operation.target = {SecretType(), view_.ns, secret.name};
    operation.action = EnsureSecret{secret.generated_keys, secret.labels};
    operation.id = OperationId(operation.action, operation.target);
    if (!Mention(operation.target, Intent::kEnsure, "")) return;
    drafts_[secret.stage].operations.push_back(std::move(operation));
  }

  void Hold(int stage, std::string why) {
    drafts_[stage].holds = true;
    out_.waiting.push_back(std::move(why));
  }

  static std::string StageName(int number, const StageDraft& draft) {
    if (number == kReleaseStage) return "release";
    const bool deletes_alone = std::all_of(
        draft.operations.begin(), draft.operations.end(),
        [](const Operation& each) { return std::holds_alternative<Delete>(each.action); });
    const std::string_view base = deletes_alone ? "delete" : "children";
    return number == 0 ? std::string(base) : absl::StrCat(std::string(base), " ", number);
  }

  void Finish() {
    for (auto& [number, draft] : drafts_) {
      std::sort(draft.operations.begin(), draft.operations.end(),
                [](const Operation& a, const Operation& b) { return a.id < b.id; });
      if (!draft.operations.empty()) {
        out_.stages.push_back({StageName(number, draft), std::move(draft.operations)});
      }
      if (draft.holds) break;
    }
    for (auto& [ref, intent] : intents_) out_.intents.push_back(std::move(intent));
  }

  const View& view_;
  const DesiredState& state_;
  std::map<int, StageDraft> drafts_;
  std::map<ObjectRef, ChildIntent> intents_;
  ChildChanges out_;
};

}  // namespace

ChildChanges PlanChildren(const View& view, const DesiredState& state) {
  return Draft(view, state).Take();
}

Operation DeleteOperation(const View& view, const Child& child, const ChildToDelete& to_delete) {
  Operation operation;
  operation.target = RefOf(child);
  operation.action = Delete{to_delete.propagation};
  operation.id = OperationId(operation.action, operation.target);
  operation.precondition.uid = child.uid;
  operation.observed_version = child.resource_version;
  const ChildRule* rule = FindRule(view.kind.children, child.type);
  if (rule != nullptr && rule->stateful) {
    RequireVersion(child.resource_version, &operation.precondition);
  }
  operation.events = to_delete.on_deleted;
  for (EventFact& event : operation.events) event.condition = EventCondition::kDeleted;
  return operation;
}

std::vector<ChildIntent> KeepAll(const View& view, const std::string& reason) {
  std::vector<ChildIntent> intents;
  for (const Child& child : view.children) {
    if (IsOnlyShown(view, child)) continue;
    intents.push_back({RefOf(child), Intent::kKeep, reason});
  }
  return intents;
}

}  // namespace xebec::planner
