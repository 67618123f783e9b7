// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/reconcile/completion.h"

namespace xebec::watcher {

/// How a reconcile ends.
struct RunResult {
  Next next = Next::kIdle;
  std::string reason;            ///< Of `next`, for users; may be empty.
  bool news = false;             ///< There are outcomes that the planner has not seen.
  std::vector<uint64_t> writes;  ///< WritesOf the plan.
  bool invalid = false;          ///< The plan said that the user has to act.
  std::optional<absl::Duration> resync_after;
  std::optional<absl::Duration> retry_after;     ///< The API server requested this pause.
  std::optional<absl::Duration> deferred_until;  ///< Monotonic: operations were deferred.
  bool over_budget = false;                      ///< Deferred by the deletion budget.
  std::string text = "nothing to do";            ///< For users.

  bool operator==(const RunResult&) const = default;
};

/// Takes what `plan` says by itself: verdict and resync_after.
void TakePlan(const Plan& plan, RunResult* result);

/// Takes the outcome of a plan that was sent. `news`: OutcomeMemory::Take.
void TakeOutcomes(const Plan& plan, const Report& report, const Completion& completion, bool news,
                  RunResult* result);

/// The first outcome that a user or an administrator may have to act on; null when there is none.
const Outcome* FirstRejection(const Completion& completion);

/// Counts the reconcile by its result, as controller-runtime does.
void CountResult(const RunResult& result, ControllerFigures* figures);

}  // namespace xebec::watcher
