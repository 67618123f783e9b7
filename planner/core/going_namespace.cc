// SPDX-License-Identifier: Apache-2.0
#include "planner/core/going_namespace.h"

#include <algorithm>

namespace xebec::planner {
namespace {

bool InNamespace(const Outcome& outcome, const View& view) {
  return !view.ns.empty() && outcome.target.ns == view.ns;
}

absl::Time NewestTime(const View& view) {
  absl::Time newest = absl::InfinitePast();
  for (const Outcome& each : view.last_outcomes) {
    if (InNamespace(each, view)) newest = std::max(newest, each.at);
  }
  return newest;
}

bool WasRefused(const Operation& operation, const View& view) {
  const Outcome* last = view.LastOutcome(operation.id);
  return last != nullptr && ShowsParentNamespaceGoing(*last, view.ns);
}

}  // namespace

bool ParentNamespaceIsGoing(const View& view) {
  const absl::Time newest = NewestTime(view);
  return std::any_of(view.last_outcomes.begin(), view.last_outcomes.end(),
                     [&](const Outcome& each) {
                       return each.at == newest && ShowsParentNamespaceGoing(each, view.ns);
                     });
}

std::optional<absl::Duration> TimeUntilAttempt(const View& view) {
  const absl::Time newest = NewestTime(view);
  if (newest == absl::InfinitePast() || view.now == absl::InfinitePast()) return std::nullopt;
  return std::clamp(newest + kNamespacePause - view.now, absl::ZeroDuration(), kNamespacePause);
}

void LimitToAttempt(const View& view, Plan* plan) {
  for (size_t i = 0; i < plan->stages.size(); ++i) {
    std::vector<Operation>& operations = plan->stages[i].operations;
    const auto refused =
        std::find_if(operations.begin(), operations.end(),
                     [&](const Operation& each) { return WasRefused(each, view); });
    if (refused == operations.end()) continue;
    operations = {Operation(*refused)};
    plan->stages.resize(i + 1);
    plan->status.reset();
    plan->events.clear();
    plan->complete = plan->covers_writes = false;
    plan->notes.emplace_back("the namespace was being deleted: one operation is tried again");
    return;
  }
}

}  // namespace xebec::planner
