// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/conditions.h"
#include "planner/core/parent.h"
#include "planner/core/status.h"

namespace xebec::planner {

/// How a status differs from the one that the parent has.
enum class StatusChange {
  None,
  /// Only counts of replicas and messages of conditions differ, and the parent is not ready. See
  /// StatusIntent::progress_only.
  Progress,
  News,  ///< Anything else differs.
};

/// Compares the draft with the status of the parent, whose conditions are `shown`. Fields and
/// conditions that the draft does not name make no difference.
StatusChange CompareStatus(const Parent& parent, const StatusDraft& draft,
                           const std::vector<ShownCondition>& shown);

}  // namespace xebec::planner
