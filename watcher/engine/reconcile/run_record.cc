// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/run_record.h"

#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/model/hook_label.h"
#include "watcher/engine/reconcile/deferral.h"

namespace xebec::watcher {
namespace {

void CountOutcomes(const Completion& completion, ControllerFigures* figures) {
  for (const Outcome& outcome : completion.outcomes) {
    const std::string code(Name(outcome.code));
    ++figures->outcomes[code];
    if (outcome.certainty == Certainty::kRejected) ++figures->refused[code];
  }
  figures->stale += completion.stale ? 1 : 0;
}

}  // namespace

void RecordNoPlan(NoPlan reason, const std::string& why, Turn* turn) {
  static constexpr const char* kReasons[] = {"no_plan", "no_plan", "unreadable", "not_owned"};
  ControllerFigures& count = turn->context.count;
  ++count.plans["failed"];
  ++count.refused[kReasons[static_cast<size_t>(reason)]];
  const bool may_pass = reason == NoPlan::kUnanswered || reason == NoPlan::kUnusable;
  if (reason == NoPlan::kUnanswered) ++count.timeouts;
  turn->AddNote(may_pass ? Note::Level::kWarning : Note::Level::kError, "Plan failed", why);
}

Report LostReport(const Plan& plan, Turn* turn) {
  ++turn->context.count.unknown_reports;
  return UnknownReport(plan);
}

bool RecordHookAnswer(const HookAnswer& answer, absl::Duration took, Turn* turn) {
  const auto* failure = std::get_if<HookFailure>(&answer.result);
  ControllerFigures& count = turn->context.count;
  uint32_t& failures = turn->context.record.hook_failures;
  count.hook_seconds.Add(took);
  if (failure == nullptr) {
    failures = 0;
    return false;
  }
  ++count.hook_calls[MetricLabel(failure->code)];
  turn->AddNote(Note::Level::kWarning, "Hook failed",
                absl::StrCat(Name(failure->code), ": ", failure->message));
  return failures++ == 0;
}

void RecordDecision(const Plan& plan, uint64_t answers, Turn* turn) {
  if (answers == 0) return;
  turn->context.count.hook_calls[DecisionLabel(plan.hook_failure)] += answers;
  if (answers == 1) return;
  turn->context.record.hook_doubt.OnCompared(plan.hook_failure != kHookInconsistent);
}

void DeferOperations(Plan* plan, Turn* turn, RunResult* result) {
  const RunContext& context = turn->context;
  const Envelope& envelope = plan->envelope;
  const absl::Duration quarantine_end = context.key.leadership.term(envelope.bucket).quarantine_end;
  std::optional<Deferral> deferral = DeferInQuarantine(plan, quarantine_end, turn->now());
  if (!deferral) {
    deferral = OverBudget(*plan, envelope.controller, context.id, context.budget, turn->now());
  }
  if (!deferral) return;
  result->deferred_until = deferral->until;
  result->text = deferral->message;
  result->over_budget = !deferral->outcomes.empty();
  if (!result->over_budget) return;
  ++context.count.plans["deferred"];
  context.count.deletions_deferred += deferral->outcomes.size();
  result->news = context.record.outcomes.Take(*plan, deferral->outcomes, envelope.parent.generation,
                                              context.key.now.wall);
  if (result->news) turn->AddNote(Note::Level::kWarning, "Deferred deletions", deferral->message);
  DeferDeletions(plan, deferral->message);
}

bool DelayProgress(const Plan& plan, const Turn& turn, RunResult* result) {
  if (result->next != Next::kIdle || !WritesOnlyProgress(plan)) return false;
  const RunContext& context = turn.context;
  const absl::Duration due = context.record.status_written + context.key.options.progress_interval;
  if (turn.now() >= due) return false;
  result->status_due = due;
  result->text = "the status waits, because it was written less than a second ago";
  return true;
}

void RememberReport(const Plan& plan, const Report& report, const Completion& completion,
                    Turn* turn, RunResult* result) {
  const RunContext& context = turn->context;
  const Envelope& envelope = plan.envelope;
  CountOutcomes(completion, &context.count);
  bool news = false;
  if (context.record.uid == envelope.parent.uid) {
    const bool of_this_leadership =
        envelope.epoch >= context.key.leadership.term(envelope.bucket).first_epoch;
    news = of_this_leadership &&
           context.record.outcomes.Take(plan, completion.outcomes, envelope.parent.generation,
                                        context.key.now.wall);
    turn->effects.wanted = completion.wanted;
    context.record.leaving = completion.not_deleted;
    context.record.leaving_generation = envelope.parent.generation;
    const Outcome* status = plan.status ? &completion.outcomes.back() : nullptr;
    if (status != nullptr && status->certainty == Certainty::kDone) {
      context.record.status_version = status->resource_version;
      if (status->code != OutcomeCode::kUnchanged) context.record.status_written = turn->now();
    }
  }
  TakeOutcomes(plan, report, completion, news, result);
  if (const Outcome* rejection = FirstRejection(completion)) {
    turn->AddNote(result->news ? Note::Level::kWarning : Note::Level::kDebug, "Refused",
                  absl::StrCat(rejection->operation, ": ", std::string(Name(rejection->code)), " ",
                               rejection->message));
  }
  turn->AddNote(Note::Level::kDebug, "Applied", result->text);
}

}  // namespace xebec::watcher
