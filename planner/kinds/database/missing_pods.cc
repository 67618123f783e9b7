// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/missing_pods.h"

#include <algorithm>

#include "planner/core/conditions.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/reasons.h"

namespace xebec::planner {
namespace {

constexpr absl::Duration kLong = absl::Seconds(15);

}  // namespace

bool LacksPodsForLong(const View& view, const Child& workload, std::string_view condition,
                      std::string_view reason, DesiredState* state) {
  const std::vector<ShownCondition> all = ReadConditions(view.parent);
  const ShownCondition* shown = FindShown(all, condition);
  if (view.now == absl::InfinitePast()) return false;
  const bool is_false = shown != nullptr && shown->condition.status == "False";
  if (is_false && shown->condition.reason == kPodsNotCreated) return true;
  absl::Time since = view.now;
  if (is_false && shown->condition.reason == reason) {
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, shown->since, &since, &error)) since = view.now;
  }
  const auto created = FindTime(workload.object, {"metadata", "creationTimestamp"});
  if (created.has_value()) since = std::max(since, *created);
  const absl::Duration left = since + kLong - view.now;
  if (left <= absl::ZeroDuration()) return true;
  ResyncAfter(left, state);
  return false;
}

}  // namespace xebec::planner
