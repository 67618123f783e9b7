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

/// The result of a reconcile.
struct RunResult {
  Next next = Next::kIdle;
  std::string reason;            ///< The reason for `next`, for users; may be empty.
  bool news = false;             ///< True if there are outcomes that the planner has not seen.
  std::vector<uint64_t> writes;  ///< The result of WritesOf.
  bool invalid = false;          ///< True if the plan has the verdict kInvalid.
  std::optional<absl::Duration> resync_after;
  std::optional<absl::Duration> retry_after;     ///< The pause that the API server requested.
  std::optional<absl::Duration> hook_retry;      ///< The pause that the hook requested.
  std::optional<absl::Duration> deferred_until;  ///< Monotonic; set if operations were deferred.
  std::optional<absl::Duration> status_due;      ///< Monotonic; set if the status waits.
  bool over_budget = false;                      ///< True if the deletion budget deferred them.
  std::string text = "nothing to do";            ///< For users.
  std::string note;                              ///< The last note of the plan.

  bool Failed() const { return invalid || next == Next::kRetry; }
  /// Why it failed, for users.
  const std::string& Failure() const { return note.empty() ? reason : note; }

  bool operator==(const RunResult&) const = default;
};

/// Sets the fields that depend on the plan alone: verdict and resync_after.
void TakePlan(const Plan& plan, RunResult* result);

/// Sets the fields that depend on the outcomes of a plan that was sent. `news` is the result of
/// OutcomeMemory::Take.
void TakeOutcomes(const Plan& plan, const Report& report, const Completion& completion, bool news,
                  RunResult* result);

/// Returns the first outcome that may require an action of a user or an administrator; null if
/// there is none.
const Outcome* FirstRejection(const Completion& completion);

/// Counts the reconcile by its result, with the labels of controller-runtime.
void CountResult(const RunResult& result, ControllerFigures* figures);

}  // namespace xebec::watcher
