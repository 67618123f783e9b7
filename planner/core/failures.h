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

/// A failure of the last writes, which the kind does not know of.
struct Failure {
  std::string
      reason;  ///< "NameConflict", "Rejected", "QuotaExceeded", "Terminating", "InvalidSpec".
  std::string message;
  bool needs_user = false;  ///< Retries cannot succeed before a user changes something: Stalled.
  bool warns = true;        ///< Worth one Warning event.
  std::string action = "Apply";  ///< What was tried.
};

/// The worst failure among the last outcomes of the planned operations. Outcomes of operations that
/// are no longer planned do not count, nor do refusals of another desired digest than the planned
/// one.
/// Operations in `ignored` are left out.
std::optional<Failure> FindFailure(const std::vector<Stage>& stages, const View& view,
                                   const std::set<std::string>& ignored = {});

/// The condition DeletionDeferred: True with the limit that holds a planned deletion back, else to
/// be removed.
Condition DeletionDeferredCondition(const std::vector<Stage>& stages, const View& view);

/// True when the last outcomes show that the namespace is being deleted.
bool NamespaceIsTerminating(const View& view);

}  // namespace xebec::planner
