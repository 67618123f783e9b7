// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/model/plan.h"
#include "common/model/report.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// A failure of the last writes that the core reports.
struct Failure {
  /// "NameConflict", "Rejected", "QuotaExceeded", "PodSecurityViolation", "NamespaceUnavailable",
  /// "Terminating", "InvalidSpec".
  std::string reason;
  std::string message;
  /// True if retries fail until a user changes something; results in Stalled.
  bool needs_user = false;
  bool warns = true;             ///< True if the failure gets a Warning event.
  std::string action = "Apply";  ///< The failed action.
};

/// Returns the worst failure among the last outcomes of the planned operations. Ignores outcomes of
/// operations that are no longer planned, refusals of another desired digest than the planned one,
/// refusals because of the parent's namespace unless the parent is being deleted, and operations in
/// `ignored`.
std::optional<Failure> FindFailure(const std::vector<Stage>& stages, const View& view,
                                   const std::set<std::string>& ignored = {});

/// Returns the condition DeletionDeferred: True with the limit that defers a planned deletion; with
/// an empty status if none is deferred.
Condition DeletionDeferredCondition(const std::vector<Stage>& stages, const View& view);

}  // namespace xebec::planner
