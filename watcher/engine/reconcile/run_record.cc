// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/run_record.h"

#include <optional>

#include "absl/strings/str_cat.h"
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
  figures->unknown_reports += completion.unknown.empty() ? 0 : 1;
}

}  // namespace

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
