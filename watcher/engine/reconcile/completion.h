// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// The next step after a reconcile.
enum class Next {
  kIdle,    ///< Wait until something changes or Plan::resync_after has passed.
  kAgain,   ///< Plan again at once, because the cluster has changed. Repetition is limited.
  kRetry,   ///< Plan again after the back-off.
  kWanted,  ///< Another object holds a name. Plan again when the name may be free.
  kQuiet,   ///< The parent's namespace is terminating. Only the parent's own deletion matters.
};

/// The outcomes of a plan and their consequences.
struct Completion {
  Next next = Next::kIdle;
  std::string reason;             ///< For users; empty for kIdle.
  std::vector<ObjectRef> wanted;  ///< Names that other objects hold, sorted, without duplicates.
  std::vector<Outcome> unknown;   ///< In-doubt writes: only a live read can show their outcome.
  /// One for each operation of the plan, in order, then that of the status.
  std::vector<Outcome> outcomes;
  /// The targets of the plan's deletions that were not carried out.
  std::vector<ObjectRef> not_deleted;
  bool fenced =
      /// An applier refused the plan as late, out of order or from a watcher that no longer leads.
      false;
  bool stale = false;  ///< True if a precondition did not hold.
};

/// Evaluates `report` on `plan`. Never fails: missing outcomes count as unknown, and outcomes of
/// other operations are ignored. The worst outcome determines the next step: failures, then wanted
/// names, then stale preconditions.
Completion Complete(const Plan& plan, const Report& report);

/// Returns a report in which every outcome is unknown.
Report UnknownReport(const Plan& plan);

/// Returns the next step that one outcome requires; kIdle if the operation is done. `parent_ns` is
/// the namespace of the parent; empty if it is cluster-scoped.
Next Judge(const Outcome& outcome, const std::string& parent_ns);

}  // namespace xebec::watcher
