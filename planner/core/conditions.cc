// SPDX-License-Identifier: Apache-2.0
#include "planner/core/conditions.h"

#include <utility>

#include "common/base/strings.h"

namespace xebec::planner {
std::vector<ShownCondition> ReadConditions(const Json& parent) {
  std::vector<ShownCondition> shown;
  const Json* list = Find(parent, {"status", "conditions"});
  if (list == nullptr || !list->is_array()) return shown;
  for (const Json& entry : *list) {
    ShownCondition each;
    each.condition = {FindString(entry, {"type"}), FindString(entry, {"status"}),
                      FindString(entry, {"reason"}), FindString(entry, {"message"})};
    each.since = FindString(entry, {"lastTransitionTime"});
    each.generation = FindInt(entry, {"observedGeneration"}).value_or(0);
    const std::string& type = each.condition.type;
    if (!type.empty() && FindShown(shown, type) == nullptr) shown.push_back(std::move(each));
  }
  return shown;
}

const ShownCondition* FindShown(const std::vector<ShownCondition>& shown, std::string_view type) {
  for (const ShownCondition& each : shown) {
    if (each.condition.type == type) return &each;
  }
  return nullptr;
}

Condition* FindCondition(std::vector<Condition>* conditions, std::string_view type) {
  for (Condition& each : *conditions) {
    if (each.type == type) return &each;
  }
  return nullptr;
}

void SetCondition(std::vector<Condition>* conditions, Condition condition) {
  Condition* present = FindCondition(conditions, condition.type);
  if (present != nullptr) {
    *present = std::move(condition);
  } else {
    conditions->push_back(std::move(condition));
  }
}

Json RenderCondition(const Condition& condition, int64_t generation, const ShownCondition* shown,
                     absl::Time now) {
  Json out = Json::object();
  out["type"] = condition.type;
  out["status"] = condition.status;
  out["reason"] = condition.reason.empty() ? "Unknown" : condition.reason;
  out["message"] = Ellipsize(condition.message, kMaxConditionMessage);
  if (generation != 0) out["observedGeneration"] = generation;
  const bool same = shown != nullptr && shown->condition.status == condition.status;
  const std::string since = same && !shown->since.empty() ? shown->since : Rfc3339(now);
  if (!since.empty()) out["lastTransitionTime"] = since;
  return out;
}

bool Flips(const Condition& condition, const ShownCondition* shown) {
  return shown == nullptr || shown->condition.status != condition.status ||
         shown->condition.reason != condition.reason;
}

std::string Rfc3339(absl::Time time) {
  if (time == absl::InfinitePast() || time == absl::InfiniteFuture()) return "";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

}  // namespace xebec::planner
