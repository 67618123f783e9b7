// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/conditions.h"
#include "planner/core/parent.h"
#include "planner/core/status.h"

namespace xebec::planner {

/// Returns true if the draft says that the parent is not ready, and differs from the status of the
/// parent, whose conditions are `shown`, only in counts of replicas and in messages of conditions.
/// See StatusIntent::progress_only.
bool ShowsProgressOnly(const Parent& parent, const StatusDraft& draft,
                       const std::vector<ShownCondition>& shown);

}  // namespace xebec::planner
