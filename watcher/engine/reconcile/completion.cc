// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/completion.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

Outcome Blank(const std::string& operation, const ObjectRef& target) {
  Outcome outcome;
  outcome.operation = operation;
  outcome.target = target;
  outcome.code = OutcomeCode::kConnectionLost;
  outcome.certainty = Certainty::kUnknown;
  return outcome;
}

// Returns one empty outcome for each write of the plan, including the status if it may be written.
std::vector<Outcome> Blanks(const Plan& plan) {
  std::vector<Outcome> blanks;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      blanks.push_back(Blank(operation.id, operation.target));
    }
  }
  if (plan.status.has_value()) {
    blanks.push_back(Blank(std::string(kStatusOperation), plan.envelope.parent.ref));
  }
  return blanks;
}

// The targets of deletions that were not carried out.
std::vector<ObjectRef> NotDeleted(const Plan& plan, const std::vector<Outcome>& outcomes) {
  std::vector<ObjectRef> targets;
  size_t i = 0;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const bool certain = outcomes[i++].certainty == Certainty::kRejected;
      if (certain && std::holds_alternative<Delete>(operation.action)) {
        targets.push_back(operation.target);
      }
    }
  }
  return targets;
}

// The precedence of outcomes.
int Weight(Next next) {
  switch (next) {
    case Next::kIdle:
      return 0;
    case Next::kAgain:
      return 1;
    case Next::kWanted:
      return 2;
    case Next::kRetry:
      return 3;
    case Next::kQuiet:
      return 4;
  }
  return 0;
}

void Weigh(const Outcome& outcome, const std::string& parent_ns, Completion* completion) {
  completion->fenced |= outcome.code == OutcomeCode::kFenced;
  completion->stale |= outcome.code == OutcomeCode::kStale;
  if (outcome.certainty == Certainty::kUnknown) completion->unknown.push_back(outcome);
  const Next next = Judge(outcome, parent_ns);
  if (next == Next::kWanted) completion->wanted.push_back(outcome.target);
  if (Weight(next) <= Weight(completion->next)) return;
  completion->next = next;
  completion->reason = absl::StrCat(outcome.operation, ": ", std::string(Name(outcome.code)));
}

}  // namespace

Next Judge(const Outcome& outcome, const std::string& parent_ns) {
  if (outcome.certainty == Certainty::kDone) return Next::kIdle;
  if (ShowsParentNamespaceGoing(outcome, parent_ns)) return Next::kQuiet;
  switch (outcome.code) {
    case OutcomeCode::kStale:
    case OutcomeCode::kNotStarted:
    case OutcomeCode::kAbsent:
    case OutcomeCode::kTimeout:
    case OutcomeCode::kConnectionLost:
      return Next::kAgain;
    case OutcomeCode::kNameConflict:
    case OutcomeCode::kTerminating:
      return Next::kWanted;
    default:
      return Next::kRetry;
  }
}

Completion Complete(const Plan& plan, const Report& report) {
  std::map<std::string_view, const Outcome*> reported;
  for (const Outcome& outcome : report.outcomes) reported[outcome.operation] = &outcome;
  Completion completion;
  completion.outcomes = Blanks(plan);
  for (Outcome& outcome : completion.outcomes) {
    const auto found = reported.find(outcome.operation);
    if (found != reported.end()) {
      const ObjectRef target = outcome.target;  // uses the plan's operation, not the report's
      outcome = *found->second;
      outcome.target = target;
    } else if (outcome.operation == kStatusOperation) {
      // A status that was not written is not reported.
      const bool missed = plan.status->changed;
      outcome.code = missed ? OutcomeCode::kNotStarted : OutcomeCode::kUnchanged;
      outcome.certainty = missed ? Certainty::kRejected : Certainty::kDone;
    }
    Weigh(outcome, plan.envelope.parent.ref.ns, &completion);
  }
  auto& wanted = completion.wanted;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  completion.not_deleted = NotDeleted(plan, completion.outcomes);
  return completion;
}

Report UnknownReport(const Plan& plan) {
  Report report;
  report.envelope = plan.envelope;
  report.outcomes = Blanks(plan);
  return report;
}

}  // namespace xebec::watcher
