// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// What follows a reconcile.
enum class Next {
  kIdle,    ///< Nothing, until something changes (or Plan::resync_after has passed).
  kAgain,   ///< The key is planned again at once: the cluster has changed. Limited by repetition.
  kRetry,   ///< The key is planned again after its back-off.
  kWanted,  ///< Another object holds a name: the key is planned again when the name may be free.
  kQuiet,   ///< The namespace terminates: only the parent's own deletion matters.
};

/// A plan with the outcome of each operation, and what follows from them.
struct Completion {
  Next next = Next::kIdle;
  std::string reason;             ///< For users; empty for kIdle.
  std::vector<ObjectRef> wanted;  ///< Names wanted and not had, sorted, unique.
  std::vector<Outcome> unknown;   ///< Outcomes that only a live read can tell.
  std::vector<Outcome>
      outcomes;              ///< One for each operation of the plan, in order, then the status.
  uint64_t not_deleted = 0;  ///< Deletions of the plan that were not carried out.
  bool fenced =
      false;  ///< An applier holds the plan for late, out of order or of a deposed watcher.
  bool stale = false;  ///< A precondition did not hold.
};

/// Judges `report` on `plan`. Total: outcomes that the report lacks count as unknown, outcomes of
/// other operations are left out. The worst outcome decides: failures before wanted names, these
/// before stale ones.
Completion Complete(const Plan& plan, const Report& report);

/// A report in which the outcome of every operation of `plan` is unknown.
Report UnknownReport(const Plan& plan);

/// A report in which no operation of `plan` was started.
Report NotStartedReport(const Plan& plan, const std::string& message);

/// The class of one outcome that is not done; kIdle for one that is.
Next Judge(const Outcome& outcome);

}  // namespace xebec::watcher
