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

/// A condition in the status of a parent.
struct ShownCondition {
  Condition condition;
  std::string since;  ///< lastTransitionTime as it is in the status; empty if absent.
  int64_t generation = 0;
};

/// Returns the conditions in the status of `parent`. Ignores malformed entries and later entries of
/// the same type.
std::vector<ShownCondition> ReadConditions(const Json& parent);

const ShownCondition* FindShown(const std::vector<ShownCondition>& shown, std::string_view type);
Condition* FindCondition(std::vector<Condition>* conditions, std::string_view type);

/// Replaces the condition of the same type, or appends the condition.
void SetCondition(std::vector<Condition>* conditions, Condition condition);

/// Returns the condition as JSON. lastTransitionTime is that of `shown` if the status is the same;
/// otherwise it is `now` (omitted if unknown). observedGeneration 0 is omitted. The message is cut
/// to 1 KiB.
Json RenderCondition(const Condition& condition, int64_t generation, const ShownCondition* shown,
                     absl::Time now);

/// Returns true if the condition changes to this status and reason.
bool Flips(const Condition& condition, const ShownCondition* shown);

/// Formats a time as "2026-01-02T03:04:05Z"; empty for InfinitePast.
std::string Rfc3339(absl::Time time);

}  // namespace xebec::planner
