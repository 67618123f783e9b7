// SPDX-License-Identifier: Apache-2.0
#include "planner/core/status_change.h"

#include <algorithm>
#include <string_view>

#include "common/base/strings.h"

namespace xebec::planner {
namespace {

bool Has(const std::vector<Condition>& conditions, std::string_view type, std::string_view status) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const Condition& each) {
    return each.type == type && each.status == status;
  });
}

// The names that the API conventions of Kubernetes and the kinds of the group apps use. Another
// number may be state that a plan waits for.
bool CountsReplicas(std::string_view member) {
  return member == "replicas" || member.ends_with("Replicas");
}

bool IsNumberOrNull(const Json& value) { return value.is_number() || value.is_null(); }

// `shown` is null if the status has no such field.
StatusChange CompareField(std::string_view name, const Json& wanted, const Json& shown) {
  if (wanted == shown) return StatusChange::None;
  const bool counts = CountsReplicas(name) && IsNumberOrNull(wanted) && IsNumberOrNull(shown);
  return counts ? StatusChange::Progress : StatusChange::News;
}

StatusChange CompareFields(const Json& wanted, const Json& parent) {
  StatusChange change = StatusChange::None;
  for (const auto& [name, value] : wanted.items()) {
    const Json* shown = Find(parent, {"status", name});
    change = std::max(change, CompareField(name, value, shown != nullptr ? *shown : Json()));
  }
  return change;
}

StatusChange CompareCondition(const Condition& wanted, int64_t generation,
                              const ShownCondition* shown) {
  const bool removed = wanted.status.empty();
  if (removed && shown == nullptr) return StatusChange::None;
  if (removed || Flips(wanted, shown) || shown->generation != generation) return StatusChange::News;
  const bool same = shown->condition.message == Ellipsize(wanted.message, kMaxConditionMessage);
  return same ? StatusChange::None : StatusChange::Progress;
}

StatusChange CompareConditions(const StatusDraft& draft, const std::vector<ShownCondition>& shown) {
  StatusChange change = StatusChange::None;
  for (const Condition& each : draft.conditions) {
    change = std::max(
        change, CompareCondition(each, draft.GenerationOf(each.type), FindShown(shown, each.type)));
  }
  return change;
}

}  // namespace

StatusChange CompareStatus(const Parent& parent, const StatusDraft& draft,
                           const std::vector<ShownCondition>& shown) {
  if (FindInt(parent.object, {"status", "observedGeneration"}).value_or(0) != draft.generation) {
    return StatusChange::News;
  }
  const StatusChange change =
      std::max(CompareFields(draft.fields, parent.object), CompareConditions(draft, shown));
  const bool progresses =
      Has(draft.conditions, "Ready", "False") && !Has(draft.conditions, "Stalled", "True");
  return change == StatusChange::Progress && !progresses ? StatusChange::News : change;
}

}  // namespace xebec::planner
