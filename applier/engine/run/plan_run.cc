// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/plan_run.h"

#include <algorithm>

#include "applier/engine/admission/fence.h"
#include "applier/engine/outcomes/outcome_text.h"

namespace xebec::applier {
namespace {

constexpr size_t kMinRandom = 16;

bool Holds(EventCondition condition, OutcomeCode code) {
  switch (condition) {
    case EventCondition::kCreated:
      return code == OutcomeCode::kCreated;
    case EventCondition::kChanged:
      return code == OutcomeCode::kChanged;
    case EventCondition::kDeleted:
      return code == OutcomeCode::kDeleted;
    case EventCondition::kAnyChange:
      break;
  }
  return code == OutcomeCode::kCreated || code == OutcomeCode::kChanged ||
         code == OutcomeCode::kDeleted;
}

}  // namespace

PlanRun::PlanRun(Plan plan, const Policy& policy, std::string random,
                 std::optional<absl::Duration> arrived)
    : envelope_(std::move(plan.envelope)),
      context_{envelope_.parent, envelope_.controller, std::move(random), policy.parent_labels},
      max_age_(policy.max_plan_age),
      parent_version_(envelope_.parent.resource_version),
      events_(std::move(plan.events)) {
  for (Stage& stage : plan.stages) {
    for (Operation& operation : stage.operations) {
      OperationRun& run = operations_.emplace_back(std::move(operation), envelope_, policy);
      const bool secret = std::holds_alternative<EnsureSecret>(run.operation().action);
      if (secret && context_.random.size() < kMinRandom && !run.finished()) {
        run.Finish(OutcomeCode::kRefused, "NoRandomness",
                   "the applier has no random bytes to generate a password from");
      }
    }
    stage_ends_.push_back(operations_.size());
  }
  if (plan.status) status_.emplace(*std::move(plan.status), envelope_, policy);
  if (arrived) deadline_ = *arrived + max_age_;
}

void PlanRun::DeferDeletions(const Refusal& refusal) {
  for (OperationRun& run : operations_) {
    if (!run.finished() && std::holds_alternative<Delete>(run.operation().action)) {
      run.Finish(OutcomeCode::kRefused, refusal.reason, refusal.message);
    }
  }
}

bool PlanRun::MayStart(const Instant& now) {
  if (!deadline_) deadline_ = now.monotonic + max_age_;
  if (why_stopped_.empty() && (Expired(envelope_, now) || now.monotonic >= *deadline_)) {
    why_stopped_ = "the plan expired before this was started";
  }
  return why_stopped_.empty();
}

std::vector<RunRequest> PlanRun::Next(const Instant& now, const TakePermit& take) {
  std::vector<RunRequest> out;
  if (!MayStart(now)) EndUnstarted();
  Advance();
  if (stage_ < stage_ends_.size()) {
    const size_t begin = stage_ == 0 ? 0 : stage_ends_[stage_ - 1];
    for (size_t i = begin; i < stage_ends_[stage_]; ++i) {
      Start(&operations_[i], i, take, &out);
    }
  } else {
    StartStatus(now, take, &out);
  }
  return out;
}

uint64_t PlanRun::Register(size_t index) {
  flights_[next_id_] = index;
  return next_id_++;
}

void PlanRun::Start(OperationRun* run, size_t index, const TakePermit& take,
                    std::vector<RunRequest>* out) {
  if (run->wants() == Wants::kNothing) return;
  const bool parent_busy =
      run->writes_parent() && std::any_of(flights_.begin(), flights_.end(), [&](const auto& f) {
        return operations_[f.second].writes_parent();
      });
  if (parent_busy) return;
  RequestClass name = run->NextClass();
  if (!take(name)) return;
  kube::ApiRequest request = run->Take(context_, parent_version_);
  out->push_back({Register(index), std::move(request), std::move(name)});
}

void PlanRun::StartStatus(const Instant& now, const TakePermit& take,
                          std::vector<RunRequest>* out) {
  if (!status_) return;
  if (!status_->begun()) {
    status_->Begin(OperationOutcomes());
    if (!status_->finished() && parent_gone_) {
      status_->Skip();
    } else if (!status_->finished() && !why_stopped_.empty()) {
      status_->Finish(OutcomeCode::kNotStarted, "", why_stopped_);
    }
  }
  if (status_->wants() == Wants::kNothing) return;
  RequestClass name = status_->NextClass();
  if (!take(name)) return;
  out->push_back({Register(kStatusIndex), status_->Take(context_, parent_version_, now.wall),
                  std::move(name)});
}

void PlanRun::On(uint64_t id, const kube::ApiResponse& response, const Instant&) {
  const auto flight = flights_.find(id);
  if (flight == flights_.end()) return;
  const size_t index = flight->second;
  flights_.erase(flight);
  if (response.retry_after) {
    retry_after_ = std::max(retry_after_.value_or(absl::ZeroDuration()), *response.retry_after);
  }
  if (index == kStatusIndex) {
    status_->On(response, context_);
    if (status_->told()) AddEvents(status_->intent().events, OutcomeCode::kChanged);
    return;
  }
  operations_[index].On(response, context_);
  if (operations_[index].finished()) AfterOperation(operations_[index]);
}

void PlanRun::AfterOperation(const OperationRun& run) {
  const Outcome& outcome = run.outcome();
  if (!Succeeded(outcome)) return;
  if (run.writes_parent() && !outcome.resource_version.empty()) {
    parent_version_ = outcome.resource_version;
  }
  parent_gone_ = parent_gone_ || run.parent_gone();
  AddEvents(run.operation().events, outcome.code);
}

void PlanRun::AddEvents(const std::vector<EventFact>& events, OutcomeCode code) {
  for (const EventFact& event : events) {
    if (Holds(event.condition, code)) events_.push_back(event);
  }
}

bool PlanRun::StageEnded() const {
  const size_t begin = stage_ == 0 ? 0 : stage_ends_[stage_ - 1];
  return std::all_of(operations_.begin() + static_cast<ptrdiff_t>(begin),
                     operations_.begin() + static_cast<ptrdiff_t>(stage_ends_[stage_]),
                     [](const OperationRun& run) { return run.finished(); });
}

void PlanRun::Advance() {
  while (stage_ < stage_ends_.size() && StageEnded()) {
    const size_t begin = stage_ == 0 ? 0 : stage_ends_[stage_ - 1];
    const size_t end = stage_ends_[stage_++];
    const bool failed =
        std::any_of(operations_.begin() + static_cast<ptrdiff_t>(begin),
                    operations_.begin() + static_cast<ptrdiff_t>(end),
                    [](const OperationRun& run) { return !Succeeded(run.outcome()); });
    if (!failed) continue;
    for (size_t i = end; i < operations_.size(); ++i) {
      if (operations_[i].finished()) continue;
      operations_[i].Finish(OutcomeCode::kNotStarted, "", "an earlier stage of the plan failed");
    }
  }
}

void PlanRun::EndUnstarted() {
  for (OperationRun& run : operations_) {
    if (!run.finished() && !run.in_flight()) {
      run.Finish(OutcomeCode::kNotStarted, "", why_stopped_);
      AfterOperation(run);  // it may have succeeded already, and only its repair is missing
    }
  }
  if (status_ && status_->begun() && !status_->finished() && status_->wants() != Wants::kNothing) {
    status_->Finish(OutcomeCode::kNotStarted, "", why_stopped_);
  }
}

void PlanRun::Abort(std::string why) {
  if (why_stopped_.empty()) why_stopped_ = std::move(why);
  EndUnstarted();
}

bool PlanRun::Done() const {
  const auto finished = [](const OperationRun& run) { return run.finished(); };
  if (!flights_.empty() || !std::all_of(operations_.begin(), operations_.end(), finished)) {
    return false;
  }
  return !status_ || status_->finished();
}

size_t PlanRun::CountNotDeleted() const {
  const auto not_deleted = [](const OperationRun& run) {
    const Outcome& outcome = run.outcome();
    return std::holds_alternative<Delete>(run.operation().action) &&
           (outcome.certainty == Certainty::kRejected || outcome.code == OutcomeCode::kAbsent);
  };
  return static_cast<size_t>(std::count_if(operations_.begin(), operations_.end(), not_deleted));
}

std::vector<Outcome> PlanRun::OperationOutcomes() const {
  std::vector<Outcome> outcomes;
  for (const OperationRun& run : operations_) outcomes.push_back(run.outcome());
  return outcomes;
}

Report PlanRun::TakeReport() {
  Report report;
  report.envelope = envelope_;
  report.outcomes = OperationOutcomes();
  if (status_ && status_->outcome()) report.outcomes.push_back(*status_->outcome());
  report.retry_after = retry_after_;
  return report;
}

}  // namespace xebec::applier
