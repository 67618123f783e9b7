// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/run_result.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/queue/write_pace.h"

namespace xebec::watcher {
namespace {

// Planning at once would increase the load during a failure.
bool MustPause(OutcomeCode code) {
  return code == OutcomeCode::kThrottled || code == OutcomeCode::kServerError ||
         code == OutcomeCode::kUnauthorized || code == OutcomeCode::kFenced;
}

std::string Summary(const Completion& completion) {
  std::map<std::string, int> counts;
  for (const Outcome& outcome : completion.outcomes) ++counts[std::string(Name(outcome.code))];
  std::string text;
  for (const auto& [code, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", code);
  }
  return text;
}

}  // namespace

void TakePlan(const Plan& plan, RunResult* result) {
  result->resync_after = plan.resync_after;
  result->invalid = plan.verdict == Verdict::kInvalid;
  if (!plan.notes.empty()) result->note = plan.notes.back();
  if (plan.verdict != Verdict::kRetry) return;
  result->next = Next::kRetry;
  result->reason = "the planner requested a retry";
  if (!plan.hook_failure.empty()) result->hook_retry = plan.resync_after;
}

const Outcome* FirstRejection(const Completion& completion) {
  for (const Outcome& outcome : completion.outcomes) {
    const bool refused = outcome.certainty == Certainty::kRejected &&
                         outcome.code != OutcomeCode::kNotStarted &&
                         outcome.code != OutcomeCode::kStale;
    if (refused) return &outcome;
  }
  return nullptr;
}

void TakeOutcomes(const Plan& plan, const Report& report, const Completion& completion, bool news,
                  RunResult* result) {
  const Outcome* rejection = FirstRejection(completion);
  result->news =
      news && !completion.fenced && (rejection == nullptr || !MustPause(rejection->code));
  result->writes = WritesOf(plan, completion.outcomes);
  result->text = Summary(completion);
  if (completion.next != Next::kIdle) {
    result->next = completion.next;
    result->reason = completion.reason;
    result->note.clear();
    result->hook_retry.reset();
  }
  if (report.retry_after) {
    result->retry_after = std::clamp(*report.retry_after, absl::ZeroDuration(), kMaxRetryAfter);
  }
}

void CountResult(const RunResult& result, ControllerFigures* figures) {
  figures->invalid += result.invalid ? 1 : 0;
  const bool error = result.next == Next::kRetry || result.next == Next::kWanted;
  const bool again = result.next == Next::kAgain || result.news;
  const bool later = result.resync_after || result.deferred_until || result.status_due ||
                     result.next == Next::kQuiet;
  ++figures->reconciles[error ? "error" : again ? "requeue" : later ? "requeue_after" : "success"];
}

}  // namespace xebec::watcher
