// SPDX-License-Identifier: Apache-2.0
#include "planner/core/progress.h"

#include <algorithm>
#include <string_view>

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

// Returns true if no field differs from the status of the parent but counts of replicas.
bool OnlyReplicasDiffer(const Json& fields, const Json& parent) {
  for (const auto& [key, value] : fields.items()) {
    const Json* has = Find(parent, {"status", key});
    const bool same = has == nullptr ? value.is_null() : value == *has;
    const bool counts =
        CountsReplicas(key) && IsNumberOrNull(value) && (has == nullptr || IsNumberOrNull(*has));
    if (!same && !counts) return false;
  }
  return true;
}

// Returns true if the condition has no other difference than its message.
bool OnlyMessageDiffers(const Condition& wanted, int64_t generation, const ShownCondition* shown) {
  if (wanted.status.empty() || shown == nullptr) return wanted.status.empty() && shown == nullptr;
  return shown->generation == generation && !Flips(wanted, shown);
}

}  // namespace

bool ShowsProgressOnly(const Parent& parent, const StatusDraft& draft,
                       const std::vector<ShownCondition>& shown) {
  if (!Has(draft.conditions, "Ready", "False") || Has(draft.conditions, "Stalled", "True")) {
    return false;
  }
  if (FindInt(parent.object, {"status", "observedGeneration"}).value_or(0) != draft.generation) {
    return false;
  }
  return OnlyReplicasDiffer(draft.fields, parent.object) &&
         std::all_of(draft.conditions.begin(), draft.conditions.end(), [&](const Condition& each) {
           return OnlyMessageDiffers(each, draft.GenerationOf(each.type),
                                     FindShown(shown, each.type));
         });
}

}  // namespace xebec::planner
