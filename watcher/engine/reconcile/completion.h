// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// How a pass goes on after its report.
enum class Next {
  kRest,    ///< Nothing to do until something changes (or Plan::resync_after).
  kAgain,   ///< Plan again at once: the world moved on. Limited by repetition.
  kRetry,   ///< Plan again with the key's back-off.
  kWanted,  ///< A name is held by something else: plan again when it may be free.
  kQuiet,   ///< The namespace is going: only the parent's own end matters.
};

/// A report, judged.
struct Settlement {
  Next next = Next::kRest;
  std::string reason;             ///< For people; empty for kRest.
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
Settlement Settle(const Plan& plan, const Report& report);

/// A report in which the fate of every operation of `plan` is unknown.
Report UnknownReport(const Plan& plan);

/// A report in which no operation of `plan` was started.
Report NotStartedReport(const Plan& plan, const std::string& message);

/// The class of one outcome that is not done; kRest for one that is.
Next Judge(const Outcome& outcome);

}  // namespace xebec::watcher
