// SPDX-License-Identifier: Apache-2.0
// EngineCore: from the report to the gate.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

// Trying at once would only add to the trouble.
bool MustPause(OutcomeCode code) {
  return code == OutcomeCode::kThrottled || code == OutcomeCode::kServerError ||
         code == OutcomeCode::kUnauthorized || code == OutcomeCode::kFenced;
}

const Outcome* FirstRejection(const Settlement& settlement) {
  for (const Outcome& outcome : settlement.outcomes) {
    const bool refused = outcome.certainty == Certainty::kRejected &&
                         outcome.code != OutcomeCode::kNotStarted &&
                         outcome.code != OutcomeCode::kStale;
    if (refused) return &outcome;
  }
  return nullptr;
}

std::string Summary(const Settlement& settlement) {
  std::map<std::string, int> counts;
  for (const Outcome& outcome : settlement.outcomes) ++counts[std::string(Name(outcome.code))];
  std::string text;
  for (const auto& [code, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", code);
  }
  return text;
}

}  // namespace

void EngineCore::JudgePlan(const Plan& plan, Ending* ending) const {
  ending->resync_after = plan.resync_after;
  ending->invalid = plan.verdict == Verdict::kInvalid;
  if (plan.verdict != Verdict::kRetry) return;
  ending->next = Next::kRetry;
  ending->reason = "the planner asks to be tried again";
}

void EngineCore::OnReport(KeyId key, const Report& report) {
  Pass& pass = passes.at(key);
  const Applying applying_state = std::get<Applying>(pass.state);
  const Plan& plan = applying_state.plan;
  const Settlement settlement = Settle(plan, report);
  leadership.OnHigherEpoch(pass.envelope.bucket, report.highest_epoch, now.monotonic, &out);
  CountOutcomes(key, settlement);
  ControllerOfKey(key).budget.Refund(key, settlement.not_deleted);
  JudgeReport(key, plan, report, settlement);
  TakeRequirements(key, plan, settlement.outcomes);
  if (settlement.unknown.empty()) return Conclude(key);
  // A lost report: nothing starts after the plan's expiry, and nothing runs longer than a request.
  const bool lost = settlement.unknown.size() == settlement.outcomes.size();
  const absl::Duration end =
      lost ? applying_state.sent + options.plan_life + kClockSkew : now.monotonic;
  AwaitFates(key, settlement, std::max(end, now.monotonic) + options.request_timeout);
}

// Nothing was started, and the same plan would fare the same.
void EngineCore::OnUnreadable(KeyId key, const std::string& why) {
  Pass& pass = passes.at(key);
  const Plan& plan = std::get<Applying>(pass.state).plan;
  Controller& controller = ControllerOfKey(key);
  ++controller.figures.refused["unreadable"];
  controller.budget.Refund(key, Held(plan, Hold::kDeletions).size());
  pass.ending.next = Next::kRetry;
  pass.ending.reason = "the applier could not read the plan: " + why;
  pass.ending.text = pass.ending.reason;
  Conclude(key);
}

void EngineCore::CountOutcomes(KeyId key, const Settlement& settlement) {
  ControllerFigures& figures = ControllerOfKey(key).figures;
  const Pass& pass = passes.at(key);
  for (const Outcome& outcome : settlement.outcomes) {
    const std::string code(Name(outcome.code));
    ++figures.outcomes[code];
    if (outcome.certainty == Certainty::kRejected) ++figures.refused[code];
  }
  figures.stale += settlement.stale ? 1 : 0;
  figures.unknown_reports += settlement.unknown.empty() ? 0 : 1;
  figures.pass_seconds.Add(now.monotonic - pass.started);
  figures.end_to_end_seconds.Add(now.monotonic - pass.triggered);
}

void EngineCore::JudgeReport(KeyId key, const Plan& plan, const Report& report,
                             const Settlement& settlement) {
  Pass& pass = passes.at(key);
  Ending& ending = pass.ending;
  KeyRecord& record = keys.at(key);
  const Outcome* rejection = FirstRejection(settlement);
  if (record.uid == pass.parent.uid) {
    const bool of_this_leadership =
        plan.envelope.epoch >= leadership.FirstEpoch(plan.envelope.bucket);
    const bool news = of_this_leadership && record.outcomes.Take(plan, settlement.outcomes,
                                                                 pass.parent.generation, now.wall);
    ending.news =
        news && !settlement.fenced && (rejection == nullptr || !MustPause(rejection->code));
    SetWanted(key, settlement.wanted);
    for (const Outcome& outcome : settlement.outcomes) {
      if (outcome.operation == kStatusOperation && outcome.certainty == Certainty::kDone) {
        record.status_version = outcome.resource_version;
      }
    }
  }
  ending.writes = WritesOf(plan, settlement.outcomes);
  ending.text = Summary(settlement);
  if (settlement.next != Next::kRest) {
    ending.next = settlement.next;
    ending.reason = settlement.reason;
  }
  if (report.retry_after)
    ending.retry_after = std::clamp(*report.retry_after, absl::ZeroDuration(), kMaxRetryAfter);
  if (rejection != nullptr) {
    Tell(ending.news ? Note::Level::kWarning : Note::Level::kDebug, "Refused",
         absl::StrCat(rejection->operation, ": ", std::string(Name(rejection->code)), " ",
                      rejection->message),
         key);
  }
  Tell(ending.writes.empty() ? Note::Level::kDebug : Note::Level::kInfo, "Applied", ending.text,
       key);
}

void EngineCore::TakeRequirements(KeyId key, const Plan& plan,
                                  const std::vector<Outcome>& outcomes) {
  size_t i = 0;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) Require(key, &operation, outcomes[i++]);
  }
  if (plan.status.has_value()) Require(key, nullptr, outcomes[i]);
}

// What a successful write lets the key wait for. `operation` is null for the status.
void EngineCore::Require(KeyId key, const Operation* operation, const Outcome& outcome) {
  const WatchId* watch = cache.Find(outcome.target.type, outcome.target.ns);
  if (watch == nullptr || outcome.certainty != Certainty::kDone) return;
  Requirement requirement;
  requirement.watch = *watch;
  requirement.lists = cache.reflector(*watch).lists_begun();
  requirement.object = {outcome.target.ns, outcome.target.name};
  if (operation != nullptr && std::holds_alternative<Delete>(operation->action)) {
    requirement.uid = operation->precondition.uid;
    requirement.baseline = KnownVersion(key, *operation);
    if (!requirement.uid.empty()) passes.at(key).requirements.push_back(std::move(requirement));
    return;
  }
  if (outcome.resource_version.empty()) return;
  const Reflector& reflector = cache.reflector(*watch);
  const StoredObject* stored = reflector.store().Find(requirement.object);
  requirement.uid = outcome.uid;
  requirement.version = outcome.resource_version;
  requirement.baseline = stored == nullptr ? "" : stored->resource_version;
  requirement.of_parent = outcome.target == RefOf(key);
  const auto* apply = operation == nullptr ? nullptr : std::get_if<Apply>(&operation->action);
  if (apply != nullptr) requirement.desired = apply->object;
  passes.at(key).requirements.push_back(std::move(requirement));
}

// A version that the target of a deletion is known to have had: the planner's, or that of the live
// read it planned from.
std::string EngineCore::KnownVersion(KeyId key, const Operation& operation) const {
  for (const Requirement& each : passes.at(key).requirements) {
    if (each.uid == operation.precondition.uid && !each.version.empty()) return each.version;
  }
  return operation.observed_version;
}

void EngineCore::AwaitFates(KeyId key, const Settlement& settlement, absl::Duration until) {
  Pass& pass = passes.at(key);
  for (const Outcome& outcome : settlement.unknown) {
    const bool known =
        std::find(pass.fates.begin(), pass.fates.end(), outcome.target) != pass.fates.end();
    const bool watched = cache.Find(outcome.target.type, outcome.target.ns) != nullptr;
    if (!known && watched) pass.fates.push_back(outcome.target);
  }
  pass.state = AwaitingFate{};
  SetTimer(key, until);
}

}  // namespace xebec::watcher
