// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/model/plan.h"
#include "common/model/report.h"
#include "planner/core/kind.h"

namespace xebec::planner {

/// Why the parent is not as it should be, beyond what its kind knows.
struct Trouble {
  std::string
      reason;  ///< "NameConflict", "Rejected", "QuotaExceeded", "Terminating", "InvalidSpec".
  std::string message;
  bool needs_user = false;  ///< Trying again cannot help until somebody changes something: Stalled.
  bool warns = true;        ///< Worth one Warning event.
  std::string action = "Apply";  ///< What was tried.
};

/// What the last outcomes say of operations that are planned again. An outcome whose operation is
/// not planned any more is over, and so is a refusal of another desired digest than the planned
/// one.
std::optional<Trouble> FindTrouble(const std::vector<Stage>& stages, const View& view);

/// The condition DeletionDeferred: True with the limit that holds a planned deletion back, else to
/// be removed.
Condition DeletionDeferred(const std::vector<Stage>& stages, const View& view);

/// True when the last outcomes show that the namespace is being deleted.
bool NamespaceIsTerminating(const View& view);

}  // namespace xebec::planner
