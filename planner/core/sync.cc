// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/model/names.h"
#include "common/model/well_known.h"
#include "planner/core/child_changes.h"
#include "planner/core/contest.h"
#include "planner/core/pass.h"

namespace xebec::planner {
namespace {

bool HasFinalizer(const Pass& pass) {
  const std::vector<std::string>& all = pass.parent.finalizers;
  return std::find(all.begin(), all.end(), pass.kind.description.finalizer) != all.end();
}

// The first desired child that no API server could take, in words.
std::optional<std::string> ImpossibleName(const DesiredState& state) {
  for (const DesiredChild& child : state.children) {
    const std::string name = FindString(child.object, {"metadata", "name"});
    if (IsDns1123Subdomain(name)) continue;
    return absl::StrCat("\"", name, "\" cannot be the name of a ", child.type.kind,
                        R"(: at most 253 lower-case letters, digits, "-" and "." (DNS-1123))");
  }
  return std::nullopt;
}

// Rewritten and Contested come and go with what the outcomes say of the children.
class FieldConditions {
 public:
  explicit FieldConditions(const Pass& pass) : pass_(pass) {}

  void Look(const ComparedChild& child) {
    if (child.comparison.state == ChildState::kRewritten) {
      rewritten_.push_back(Place(child));
    }
    const Outcome* last = pass_.view.LastOutcome(OperationId(Apply{}, child.ref));
    if (last == nullptr || !IsContested(*last, pass_.view.now)) return;
    contested_.push_back(Place(child) + Writer(child));
    const absl::Duration expiry = ContestExpiry(*last, pass_.view.now);
    const bool waits = child.comparison.state == ChildState::kContested;
    resync_ = std::min(resync_, waits ? child.comparison.wait : expiry);
    blocked_ |= waits;
  }

  void Add(StatusDraft* draft, Plan* plan) const {
    AddRewritten(draft);
    AddContested(draft);
    if (resync_ != absl::InfiniteDuration()) {
      plan->resync_after = std::min(plan->resync_after.value_or(resync_), resync_);
    }
  }

 private:
  static std::string Place(const ComparedChild& child) {
    const std::string& field = child.comparison.field;
    return absl::StrCat(Describe(child.ref), field.empty() ? "" : absl::StrCat(" (", field, ")"));
  }

  // Who else has written it: not seen while it stands as it is wanted.
  std::string Writer(const ComparedChild& child) const {
    const Child* live = child.comparison.live;
    const std::string writer = live == nullptr ? "" : FindString(live->object, {kLastWriterMember});
    const bool ours = writer.empty() || writer == pass_.kind.description.controller;
    return ours ? "" : absl::StrCat(", last written by ", writer);
  }

  void AddRewritten(StatusDraft* draft) const {
    Condition condition{"Rewritten", "", "StoredDifferently", ""};
    if (!rewritten_.empty()) {
      condition.status = "True";
      condition.message = absl::StrCat(
          "the API server or a webhook stores another value than the one asked for, and it is left "
          "so: ",
          absl::StrJoin(rewritten_, ", "));
    }
    draft->conditions.push_back(std::move(condition));
  }

  void AddContested(StatusDraft* draft) const {
    Condition condition{"Contested", "", "Contested", ""};
    if (!contested_.empty()) {
      condition.status = "True";
      condition.message = Message();
      EventFact event;
      event.warning = true;
      event.reason = "Contested";
      event.action = "Apply";
      event.note = condition.message;
      draft->events.push_back(std::move(event));
      if (blocked_) draft->blocked = ConditionValue{"False", "Contested", condition.message};
    }
    draft->conditions.push_back(std::move(condition));
  }

  // Between two tries nothing differs and no field can be named: then the words that are shown
  // stay.
  std::string Message() const {
    const std::vector<ShownCondition> all = ReadConditions(pass_.parent.object);
    const ShownCondition* shown = FindShown(all, "Contested");
    if (!blocked_ && shown != nullptr && shown->condition.status == "True") {
      return shown->condition.message;
    }
    return absl::StrCat(
        "another writer changes fields back again and again; they are put back at growing "
        "intervals, at least every 5 minutes: ",
        absl::StrJoin(contested_, ", "));
  }

  const Pass& pass_;
  std::vector<std::string> rewritten_, contested_;
  absl::Duration resync_ = absl::InfiniteDuration();
  bool blocked_ = false;
};

StatusDraft DraftOf(const Pass& pass) {
  StatusDraft draft;
  draft.fields = pass.state.status.is_object() ? pass.state.status : Json::object();
  draft.conditions = pass.state.conditions;
  draft.events = pass.state.events;
  draft.generation = pass.parent.generation;
  return draft;
}

void AddWaiting(const std::vector<std::string>& waiting, StatusDraft* draft) {
  if (waiting.empty()) return;
  Trouble trouble;
  trouble.reason = "Terminating";
  trouble.message = absl::StrJoin(waiting, ", ");
  trouble.warns = false;
  Block(trouble, draft);
}

void AddConditions(const Pass& pass, const ChildChanges& changes, Plan* plan) {
  StatusDraft draft = DraftOf(pass);
  FieldConditions fields(pass);
  for (const ComparedChild& child : changes.compared) fields.Look(child);
  fields.Add(&draft, plan);
  draft.conditions.push_back({"Paused", "", "", ""});
  AddWaiting(changes.waiting, &draft);
  draft.conditions.push_back(DeletionDeferred(plan->stages, pass.view));
  if (const auto trouble = FindTrouble(plan->stages, pass.view)) AddTrouble(*trouble, &draft);
  AddKstatus(&draft);
  SetStatus(pass, draft, plan);
}

}  // namespace

void PlanSync(const Pass& pass, Plan* plan) {
  if (const auto impossible = ImpossibleName(pass.state)) {
    return PlanInvalid(pass, *impossible, plan);
  }
  ChildChanges changes = PlanChildren(pass.view, pass.state);
  if (!pass.kind.description.finalizer.empty() && !HasFinalizer(pass)) {
    plan->stages.push_back(FinalizerStage(pass, /*add=*/true));
  }
  for (Stage& stage : changes.stages) plan->stages.push_back(std::move(stage));
  plan->children = std::move(changes.intents);
  plan->complete = pass.around.not_looked.empty() && changes.notes.empty();
  plan->resync_after = pass.state.resync_after;
  for (std::string& note : changes.notes) plan->notes.push_back(std::move(note));
  AddConditions(pass, changes, plan);
}

}  // namespace xebec::planner
