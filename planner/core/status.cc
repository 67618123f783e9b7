// SPDX-License-Identifier: Apache-2.0
#include "planner/core/status.h"

#include <algorithm>
#include <utility>

#include "common/base/strings.h"
#include "common/model/well_known.h"
#include "planner/core/status_change.h"

namespace xebec::planner {
namespace {

constexpr size_t kMaxNote = 1000;

bool IsShown(const Condition& condition) { return !condition.status.empty(); }

// The runtime's conditions. They follow those of the kind in this order.
constexpr std::string_view kRuntimeOrder[] = {
    "FieldManagerConflict", "Rewritten", "DeletionDeferred", "Paused", "Reconciling", "Stalled"};

int Rank(const Condition& condition) {
  if (condition.type == "Ready") return -1;
  const auto* end = std::end(kRuntimeOrder);
  const auto* at = std::find(std::begin(kRuntimeOrder), end, condition.type);
  return at == end ? 0 : static_cast<int>(1 + (at - std::begin(kRuntimeOrder)));
}

// An event that names the reason of a condition is due when that condition takes the reason; any
// other with every change.
bool IsDue(const EventFact& event, const StatusDraft& draft,
           const std::vector<ShownCondition>& shown) {
  for (const Condition& condition : draft.conditions) {
    if (!IsShown(condition) || condition.reason != event.reason) continue;
    return Flips(condition, FindShown(shown, condition.type));
  }
  return true;
}

std::vector<EventFact> DueEvents(const StatusDraft& draft,
                                 const std::vector<ShownCondition>& shown) {
  std::vector<EventFact> due;
  for (const EventFact& event : draft.events) {
    if (!IsDue(event, draft, shown)) continue;
    due.push_back(event);
    due.back().note = Ellipsize(event.note, kMaxNote);
  }
  return due;
}

// The members of `shown` that `wanted` lacks, as nulls, at every depth; null if there are none.
Json MissingMembers(const Json& wanted, const Json& shown) {
  Json missing;
  for (const auto& [key, value] : shown.items()) {
    const auto at = wanted.find(key);
    if (at == wanted.end()) {
      missing[key] = nullptr;
    } else if (value.is_object() && at->is_object()) {
      Json inner = MissingMembers(*at, value);
      if (!inner.is_null()) missing[key] = std::move(inner);
    }
  }
  return missing;
}

Json RenderStatus(const StatusDraft& draft, const std::vector<ShownCondition>& shown,
                  absl::Time now) {
  Json status = Json::object();
  for (const auto& [key, value] : draft.fields.items()) {
    if (!value.is_null()) status[key] = value;
  }
  if (draft.generation != 0) status["observedGeneration"] = draft.generation;
  Json conditions = Json::array();
  for (const Condition& each : draft.conditions) {
    if (!IsShown(each)) continue;
    conditions.push_back(
        RenderCondition(each, draft.GenerationOf(each.type), FindShown(shown, each.type), now));
  }
  status["conditions"] = std::move(conditions);
  return status;
}

// Null in each member of `shown` that has to go for it to become `wanted`; null itself if none has.
Json Removals(const Json& wanted, const Json& shown) {
  Json removals;
  for (const auto& [key, value] : wanted.items()) {
    const auto at = shown.find(key);
    if (at == shown.end() || at->is_null()) continue;
    if (value.is_null()) {
      removals[key] = nullptr;
    } else if (value.is_object() && at->is_object()) {
      Json inner = MissingMembers(value, *at);
      if (!inner.is_null()) removals[key] = std::move(inner);
    }
  }
  return removals;
}

// The conditions that neither the kind nor the runtime writes, as the parent has them.
Json OtherConditions(const StatusDraft& draft, const Json& parent,
                     const std::vector<std::string_view>& own_types) {
  Json others = Json::array();
  const Json* list = Find(parent, {"status", "conditions"});
  if (list == nullptr || !list->is_array()) return others;
  for (const Json& entry : *list) {
    const std::string type = FindString(entry, {"type"});
    const auto has_type = [&](const Condition& each) { return each.type == type; };
    const bool ours = type.empty() || type == kAppliedCondition || IsRuntimeCondition(type) ||
                      std::find(own_types.begin(), own_types.end(), type) != own_types.end() ||
                      std::any_of(draft.conditions.begin(), draft.conditions.end(), has_type);
    if (!ours) others.push_back(entry);
  }
  return others;
}

ObjectBytes Amendments(const StatusDraft& draft, const Parent& parent,
                       const std::vector<std::string_view>& own_types) {
  Json amendments = Removals(draft.fields, ShownFields(parent));
  const bool generation = Find(parent.object, {"status", "observedGeneration"}) != nullptr;
  if (generation && draft.generation == 0) amendments["observedGeneration"] = nullptr;
  Json others = OtherConditions(draft, parent.object, own_types);
  if (!others.empty()) amendments["conditions"] = std::move(others);
  return amendments.is_null() ? nullptr : MakeObjectBytes(DumpJson(amendments));
}

ObjectBytes ObservedStatus(const Parent& parent) {
  const Json* status = Find(parent.object, {"status"});
  const bool present = status != nullptr && status->is_object() && !status->empty();
  return present ? MakeObjectBytes(DumpJson(*status)) : nullptr;
}

// The message is cut as those of the other conditions, which the plan renders itself.
std::optional<ConditionValue> CutBlocked(std::optional<ConditionValue> blocked) {
  if (blocked) blocked->message = Ellipsize(blocked->message, kMaxConditionMessage);
  return blocked;
}

void AddApplied(const std::vector<ShownCondition>& shown, StatusIntent* intent) {
  const ShownCondition* applied = FindShown(shown, kAppliedCondition);
  if (applied == nullptr) return;
  intent->observed_applied = ConditionValue{applied->condition.status, applied->condition.reason,
                                            applied->condition.message};
  intent->observed_applied_since = applied->since;
}

}  // namespace

Json ShownFields(const Parent& parent) {
  const Json* status = Find(parent.object, {"status"});
  if (status == nullptr || !status->is_object()) return Json::object();
  Json fields = *status;
  fields.erase("conditions");
  fields.erase("observedGeneration");
  return fields;
}

void AddFailure(const Failure& failure, StatusDraft* draft) {
  SetCondition(&draft->conditions, {"Ready", "False", failure.reason, failure.message});
  if (failure.needs_user) {
    SetCondition(&draft->conditions, {"Stalled", "True", failure.reason, failure.message});
  } else {
    SetCondition(&draft->conditions,
                 {"Reconciling", "True", "ProgressingWithRetry", failure.message});
  }
  if (!failure.warns) return;
  EventFact event;
  event.warning = true;
  event.reason = failure.reason;
  event.action = failure.action;
  event.note = failure.message;
  draft->events.push_back(std::move(event));
}

void Block(const Failure& failure, StatusDraft* draft) {
  AddFailure(failure, draft);
  draft->blocked = ConditionValue{"False", failure.reason, failure.message};
}

void AddKstatus(StatusDraft* draft) {
  std::vector<Condition>* conditions = &draft->conditions;
  if (FindCondition(conditions, "Ready") == nullptr) {
    conditions->insert(conditions->begin(),
                       {"Ready", "Unknown", "NotReported", "the kind reports no readiness"});
  }
  const Condition ready = *FindCondition(conditions, "Ready");
  const Condition* stalled = FindCondition(conditions, "Stalled");
  const bool is_stalled = stalled != nullptr && stalled->status == "True";
  if (!is_stalled) SetCondition(conditions, {"Stalled", "", "", ""});
  if (is_stalled || ready.status == "True") {
    SetCondition(conditions, {"Reconciling", "", "", ""});
  } else if (FindCondition(conditions, "Reconciling") == nullptr) {
    SetCondition(conditions, {"Reconciling", "True", "Progressing", ready.message});
  }
  std::stable_sort(conditions->begin(), conditions->end(),
                   [](const Condition& a, const Condition& b) { return Rank(a) < Rank(b); });
}

bool IsRuntimeCondition(std::string_view type) {
  const auto* end = std::end(kRuntimeOrder);
  return type == "Ready" || std::find(std::begin(kRuntimeOrder), end, type) != end;
}

std::vector<EventFact> EventsAlone(const StatusDraft& draft) { return DueEvents(draft, {}); }

StatusIntent MakeStatus(const Parent& parent, absl::Time now, const StatusDraft& draft,
                        const std::vector<std::string_view>& condition_types) {
  const std::vector<ShownCondition> shown = ReadConditions(parent.object);
  Json metadata = {{"name", parent.name}};
  if (!parent.ns.empty()) metadata["namespace"] = parent.ns;
  const Json object = {{"apiVersion", FindString(parent.object, {"apiVersion"})},
                       {"kind", parent.kind},
                       {"metadata", std::move(metadata)},
                       {"status", RenderStatus(draft, shown, now)}};
  StatusIntent intent;
  intent.object = MakeObjectBytes(DumpJson(object));
  const StatusChange change = CompareStatus(parent, draft, shown);
  intent.changed = change != StatusChange::None;
  AddApplied(shown, &intent);
  intent.blocked = CutBlocked(draft.blocked);
  intent.now = Rfc3339(now);
  intent.amendments = Amendments(draft, parent, condition_types);
  if (!intent.changed) return intent;
  intent.events = DueEvents(draft, shown);
  intent.progress_only = intent.events.empty() && change == StatusChange::Progress;
  intent.observed = ObservedStatus(parent);
  return intent;
}

}  // namespace xebec::planner
