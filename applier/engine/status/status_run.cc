// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/status/status_run.h"

#include <algorithm>

#include "applier/engine/outcomes/live_table.h"
#include "applier/engine/outcomes/outcome_text.h"
#include "applier/engine/requests/request_builder.h"
#include "applier/engine/status/applied_condition.h"
#include "applier/engine/status/comparable_status.h"

namespace xebec::applier {

namespace {

constexpr int kConflict = 409;
constexpr int kTestFailed = 422;  // of a JSON patch, or the status is invalid

/// The API server takes everything but the status from the stored object if the object is a custom
/// resource. The strategies of most built-in kinds take the labels, annotations and finalizers from
/// the body. The API groups of Kubernetes have no dot, or end with ".k8s.io".
bool KeepsAllButTheStatus(const ResourceType& type) {
  return type.group.find('.') != std::string::npos && !type.group.ends_with(".k8s.io");
}

/// No plan has written the status yet: the parent has none, or what its CRD gives by default.
bool IsFirst(const StatusIntent& intent) {
  return intent.changed && !intent.observed_applied && (intent.observed || !intent.amendments);
}

/// The observed status; an empty object if there is none. An error if it is no JSON.
absl::StatusOr<Json> Observed(const StatusIntent& intent) {
  if (!intent.observed) return Json::object();
  return ParseJson(*intent.observed);
}

bool RequiresFields(const AnswerFacts& facts) {
  const auto& causes = facts.status.causes;
  return std::any_of(causes.begin(), causes.end(),
                     [](const auto& cause) { return cause.type == "FieldValueRequired"; });
}

}  // namespace

StatusRun::StatusRun(StatusIntent intent, const Envelope& envelope, const Policy& policy)
    : intent_(std::move(intent)),
      parent_(envelope.parent.ref),
      generation_(envelope.parent.generation) {
  absl::StatusOr<Json> body = ParseBody(intent_.object, policy);
  refusal_ = AdmitStatus(body, envelope, policy);
  if (!refusal_) body_ = std::make_shared<const Json>(*std::move(body));
}

Outcome StatusRun::NewOutcome() const {
  Outcome outcome;
  outcome.operation = std::string(kStatusOperation);
  outcome.target = parent_;
  return outcome;
}

void StatusRun::Begin(const std::vector<Outcome>& outcomes) {
  applied_ = AppliedAfter(outcomes, intent_);
  if (!MustWriteStatus(intent_, applied_)) {
    step_ = Step::kFinished;
    return;
  }
  const bool first = IsFirst(intent_) && KeepsAllButTheStatus(parent_.type);
  step_ = first ? Step::kFirst : intent_.observed ? Step::kCompare : Step::kWrite;
  if (refusal_) Finish(OutcomeCode::kRefused, refusal_->reason, refusal_->message);
}

void StatusRun::Finish(OutcomeCode code, std::string_view reason, std::string_view message) {
  step_ = Step::kFinished;
  outcome_ = NewOutcome();
  SetOwn(code, Certainty::kRejected, reason, message, &*outcome_);
}

Wants StatusRun::wants() const {
  if (in_flight_ || step_ == Step::kPending || step_ == Step::kFinished) return Wants::kNothing;
  return step_ == Step::kRead ? Wants::kRead : Wants::kWrite;
}

RequestClass StatusRun::NextClass() const {
  const std::string resource = ResourceName(parent_.type);
  if (step_ == Step::kRead) return {resource, "get"};
  return {resource + "/status", step_ == Step::kFirst ? "update" : "patch"};
}

kube::ApiRequest StatusRun::Take(const RunContext& context, const std::string& parent_version,
                                 absl::Time now) {
  in_flight_ = true;
  if (step_ == Step::kRead) return GetRequest(parent_);
  version_before_ = parent_version;
  if (!has_applied_) {
    body_ = std::make_shared<const Json>(WithApplied(*body_, intent_, applied_, generation_, now));
    has_applied_ = true;
  }
  const Expect expect{context.parent.uid, parent_version};
  if (step_ == Step::kFirst) {
    absl::StatusOr<Json> observed = Observed(intent_);
    if (observed.ok()) {
      return FirstStatusRequest(parent_, context.manager, Merged(*std::move(observed)), expect);
    }
    step_ = Step::kWrite;
  }
  if (step_ == Step::kCompare) {
    const std::optional<Json> observed = ComparableStatus(intent_.observed);
    if (observed) return TakeComparing(*observed, context);
    step_ = Step::kWrite;
  }
  return StatusRequest(parent_, context.manager, *body_, expect);
}

kube::ApiRequest StatusRun::TakeComparing(const Json& observed, const RunContext& context) const {
  return ReplaceStatusRequest(parent_, context.manager, context.parent.uid, observed,
                              Merged(observed));
}

Json StatusRun::Merged(Json status) const {
  status.merge_patch(body_->value("status", Json::object()));
  return status;
}

void StatusRun::On(const kube::ApiResponse& response, const RunContext& context) {
  if (!in_flight_) return;
  in_flight_ = false;
  step_ == Step::kRead ? OnRead(response, context) : OnWrite(response);
}

void StatusRun::OnWrite(const kube::ApiResponse& response) {
  if (step_ == Step::kCompare && response.status == kTestFailed) {
    step_ = Step::kWrite;
    return;
  }
  if (step_ == Step::kFirst && response.status == kConflict && intent_.observed) {
    step_ = Step::kCompare;  // a user has changed the parent, but perhaps not its status
    return;
  }
  AnswerFacts facts = ReadFacts(Verb::kStatus, response, parent_);
  facts.desired = body_.get();
  std::optional<LiveObject> answer;
  if (facts.http >= 200 && facts.http < 300) {
    answer = ReadLiveObject(response.body);
    facts.readable = answer.has_value();
    facts.unchanged = answer && answer->resource_version == version_before_;
  }
  const Decision decision = Decide(facts);
  KeepOutcome(decision, facts, answer);
  step_ = decision.next == NextStep::kReadLive ? Step::kRead : Step::kFinished;
}

void StatusRun::KeepOutcome(const Decision& decision, const AnswerFacts& facts,
                            const std::optional<LiveObject>& answer) {
  outcome_ = NewOutcome();
  if (decision.certainty == Certainty::kDone) {
    SetOwn(decision.code, decision.certainty, "", "", &*outcome_);
    outcome_->http_status = facts.http;
    outcome_->uid = answer->uid;
    outcome_->resource_version = answer->resource_version;
    return;
  }
  SetFailure(decision, facts, &*outcome_);
  // The schema of another operator requires fields that are not ours: a retry does not help.
  if (decision.code == OutcomeCode::kInvalid && RequiresFields(facts)) {
    SetOwn(OutcomeCode::kUnchanged, Certainty::kDone, "NotKept", outcome_->message, &*outcome_);
  }
}

bool StatusRun::told() const {
  if (!finished() || !outcome_) return false;
  return outcome_->code == OutcomeCode::kChanged ||
         (intent_.changed && outcome_->code == OutcomeCode::kUnchanged);
}

void StatusRun::OnRead(const kube::ApiResponse& response, const RunContext& context) {
  LiveFacts facts;
  facts.verb = Verb::kStatus;
  facts.read = ReadFacts(Verb::kStatus, response, parent_);
  if (facts.read.http == 200) facts.live = ReadLiveObject(response.body);
  facts.same_uid = facts.live && facts.live->uid == context.parent.uid;
  const Decision decision = DecideLive(facts);
  step_ = Step::kFinished;
  if (decision.read_failed) {
    SetFailure(decision, facts.read, &*outcome_);
  } else if (decision.code == OutcomeCode::kNotServed) {
    SetOwn(decision.code, decision.certainty, outcome_->reason,
           "the parent's CRD has no status subresource: add subresources: {status: {}} to it",
           &*outcome_);
  } else {
    SetOwn(decision.code, decision.certainty, outcome_->reason, outcome_->message, &*outcome_);
  }
}

}  // namespace xebec::applier
