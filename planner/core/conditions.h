// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/json.h"
#include "planner/core/kind.h"

namespace xebec::planner {

inline constexpr size_t kMaxConditionMessage = 1024;

/// A condition that a parent shows.
struct ShownCondition {
  Condition condition;
  std::string since;  ///< lastTransitionTime as it stands there; empty when absent.
  int64_t generation = 0;
};

/// The conditions in `parent`'s status; malformed entries are left out, of a type that is there
/// twice the first counts.
std::vector<ShownCondition> ReadConditions(const Json& parent);

const ShownCondition* FindShown(const std::vector<ShownCondition>& shown, std::string_view type);
Condition* FindCondition(std::vector<Condition>* conditions, std::string_view type);

/// Sets a condition: replaces one of its type where it stands, else goes to the end.
void SetCondition(std::vector<Condition>* conditions, Condition condition);

/// The condition as JSON. lastTransitionTime stays as shown while the status is the same, else it
/// is `now` (left out when unknown); observedGeneration is left out when 0. The message is cut to 1
/// KiB.
Json RenderCondition(const Condition& condition, int64_t generation, const ShownCondition* shown,
                     absl::Time now);

/// True when the condition takes this status and reason now.
bool Flips(const Condition& condition, const ShownCondition* shown);

/// "2026-01-02T03:04:05Z"; empty for InfinitePast.
std::string Rfc3339(absl::Time time);

}  // namespace xebec::planner
