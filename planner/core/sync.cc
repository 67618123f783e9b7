// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/model/names.h"
#include "common/model/well_known.h"
#include "planner/core/child_changes.h"
#include "planner/core/field_manager_conflict.h"
#include "planner/core/reconcile.h"

namespace xebec::planner {
namespace {

// Returns why the name of a desired child is invalid; nullopt if all names are valid.
std::optional<std::string> ImpossibleName(const DesiredState& state) {
  for (const DesiredChild& child : state.children) {
    const std::string name = FindString(child.object, {"metadata", "name"});
    if (IsDns1123Subdomain(name)) continue;
    return absl::StrCat("\"", name, "\" is not a valid name for a ", child.type.kind,
                        R"(: at most 253 lower-case letters, digits, "-" and "." (DNS-1123))");
  }
  return std::nullopt;
}

// A repair of the field ownership that fails changes nothing, so no event starts the next attempt.
constexpr absl::Duration kRepairPause = absl::Minutes(1);

// The conditions Rewritten and FieldManagerConflict, from the last outcomes of the children.
class FieldConditions {
 public:
  explicit FieldConditions(const Reconcile& reconcile) : reconcile_(reconcile) {}

  void Look(const ComparedChild& child) {
    if (child.comparison.state == ChildState::kRewritten) {
      rewritten_.push_back(Place(child));
    }
    if (child.comparison.co_owned) resync_ = std::min(resync_, kRepairPause);
    const Outcome* last = reconcile_.view.LastOutcome(OperationId(Apply{}, child.ref));
    if (last == nullptr || !HasFieldManagerConflict(*last, reconcile_.view.now)) return;
    conflicts_.push_back(Place(child) + Writer(child));
    const absl::Duration expiry = ConflictExpiry(*last, reconcile_.view.now);
    const bool waits = child.comparison.state == ChildState::kFieldManagerConflict;
    resync_ = std::min(resync_, waits ? child.comparison.wait : expiry);
    blocked_ |= waits;
  }

  /// True if there is nothing to show, and no own write will change that.
  bool empty() const {
    return rewritten_.empty() && conflicts_.empty() && resync_ == absl::InfiniteDuration();
  }

  void Add(StatusDraft* draft, Plan* plan) const {
    AddRewritten(draft);
    AddConflicts(draft);
    if (resync_ != absl::InfiniteDuration()) {
      plan->resync_after = std::min(plan->resync_after.value_or(resync_), resync_);
    }
  }

 private:
  static std::string Place(const ComparedChild& child) {
    const std::string& field = child.comparison.field;
    return absl::StrCat(Describe(child.ref), field.empty() ? "" : absl::StrCat(" (", field, ")"));
  }

  // Returns the other field manager. It is unknown while the fields have the desired values.
  std::string Writer(const ComparedChild& child) const {
    const Child* live = child.comparison.live;
    const Json* writers = live == nullptr ? nullptr : Find(live->object, {kLastWriterMember});
    if (writers == nullptr) return "";
    for (const Json& writer : writers->is_array() ? *writers : Json::array({*writers})) {
      if (!writer.is_string() || writer == reconcile_.kind.description.controller) continue;
      return absl::StrCat(", last written by ", writer.get<std::string>());
    }
    return "";
  }

  void AddRewritten(StatusDraft* draft) const {
    Condition condition{"Rewritten", "", "StoredDifferently", ""};
    if (!rewritten_.empty()) {
      condition.status = "True";
      condition.message = absl::StrCat(
          "The API server or a webhook stores another value than the desired one. These fields are "
          "left as they are: ",
          absl::StrJoin(rewritten_, ", "));
    }
    draft->conditions.push_back(std::move(condition));
  }

  void AddConflicts(StatusDraft* draft) const {
    Condition condition{"FieldManagerConflict", "", "FieldManagerConflict", ""};
    if (!conflicts_.empty()) {
      condition.status = "True";
      condition.message = Message();
      EventFact event;
      event.warning = true;
      event.reason = "FieldManagerConflict";
      event.action = "Apply";
      event.note = condition.message;
      draft->events.push_back(std::move(event));
      if (blocked_)
        draft->blocked = ConditionValue{"False", "FieldManagerConflict", condition.message};
    }
    draft->conditions.push_back(std::move(condition));
  }

  // Between two attempts no field differs, so the message cannot name one and stays unchanged.
  std::string Message() const {
    const std::vector<ShownCondition> all = ReadConditions(reconcile_.parent.object);
    const ShownCondition* shown = FindShown(all, "FieldManagerConflict");
    if (!blocked_ && shown != nullptr && shown->condition.status == "True") {
      return shown->condition.message;
    }
    return absl::StrCat(
        "Another field manager changes these fields repeatedly. Xebec restores them at increasing "
        "intervals of at most 5 minutes: ",
        absl::StrJoin(conflicts_, ", "));
  }

  const Reconcile& reconcile_;
  std::vector<std::string> rewritten_, conflicts_;
  absl::Duration resync_ = absl::InfiniteDuration();
  bool blocked_ = false;
};

StatusDraft DraftOf(const Reconcile& reconcile) {
  StatusDraft draft;
  draft.fields = reconcile.state.status.is_object() ? reconcile.state.status : Json::object();
  draft.conditions = reconcile.state.conditions;
  draft.events = reconcile.state.events;
  draft.generation = reconcile.parent.generation;
  return draft;
}

void AddWaiting(const std::vector<std::string>& waiting, StatusDraft* draft) {
  if (waiting.empty()) return;
  Failure failure;
  failure.reason = "Terminating";
  failure.message = absl::StrJoin(waiting, ", ");
  failure.warns = false;
  Block(failure, draft);
}

// Returns true if a condition of the runtime may tell of the outcome when it is repeated.
bool MayBeShown(const Outcome& outcome) {
  return outcome.certainty != Certainty::kDone ||
         (outcome.code == OutcomeCode::kChanged && outcome.repeats + 1 >= kConflictAfter);
}

// Returns true if only the kind depends on what the operations change: no later stage waits for
// them, and no condition of the runtime tells of them.
bool CoversWrites(const Reconcile& reconcile, const ChildChanges& changes,
                  const FieldConditions& fields, const Plan& plan) {
  if (!reconcile.state.covers_writes || !plan.complete || plan.stages.size() != 1) return false;
  const std::vector<Operation>& operations = plan.stages.front().operations;
  const std::vector<Outcome>& outcomes = reconcile.view.last_outcomes;
  const auto applies = [](const Operation& each) {
    return std::holds_alternative<Apply>(each.action);
  };
  return reconcile.state.to_delete.empty() && changes.waiting.empty() && fields.empty() &&
         std::all_of(operations.begin(), operations.end(), applies) &&
         std::none_of(outcomes.begin(), outcomes.end(), MayBeShown);
}

void AddConditions(const Reconcile& reconcile, const ChildChanges& changes, Plan* plan) {
  StatusDraft draft = DraftOf(reconcile);
  FieldConditions fields(reconcile);
  for (const ComparedChild& child : changes.compared) fields.Look(child);
  fields.Add(&draft, plan);
  draft.conditions.push_back({"Paused", "", "", ""});
  AddWaiting(changes.waiting, &draft);
  draft.conditions.push_back(DeletionDeferredCondition(plan->stages, reconcile.view));
  if (const auto failure = FindFailure(plan->stages, reconcile.view, changes.reported_by_kind))
    AddFailure(*failure, &draft);
  AddKstatus(&draft);
  SetStatus(reconcile, draft, plan);
  plan->covers_writes = CoversWrites(reconcile, changes, fields, *plan);
}

}  // namespace

void PlanSync(const Reconcile& reconcile, Plan* plan) {
  if (const auto impossible = ImpossibleName(reconcile.state)) {
    return PlanInvalid(reconcile, *impossible, plan);
  }
  ChildChanges changes = PlanChildren(reconcile.view, reconcile.state);
  const bool wanted =
      !reconcile.kind.description.finalizer.empty() && reconcile.state.needs_finalizer;
  if (wanted && !HasFinalizer(reconcile.parent, reconcile.kind.description.finalizer)) {
    plan->stages.push_back(FinalizerStage(reconcile, /*add=*/true));
  }
  for (Stage& stage : changes.stages) plan->stages.push_back(std::move(stage));
  plan->children = std::move(changes.intents);
  plan->complete = reconcile.context.unread.empty() && changes.notes.empty();
  plan->resync_after = reconcile.state.resync_after;
  for (std::string& note : changes.notes) plan->notes.push_back(std::move(note));
  AddConditions(reconcile, changes, plan);
}

}  // namespace xebec::planner
