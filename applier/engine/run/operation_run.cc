// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/operation_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "applier/engine/outcomes/outcome_text.h"
#include "common/base/strings.h"
#include "common/model/fields.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

constexpr int kPatchFailed = 422;  // a test of it, or the object lacks the parent of a field

std::string DigestOf(const Json& desired) {
  return FindString(desired, {"metadata", "annotations", kDigestAnnotation});
}

}  // namespace

OperationRun::OperationRun(Operation operation, const Envelope& envelope, const Policy& policy)
    : operation_(std::move(operation)), writes_parent_(operation_.target == envelope.parent.ref) {
  outcome_.operation = operation_.id;
  outcome_.target = operation_.target;
  absl::StatusOr<Json> body = Json();
  if (const auto* apply = std::get_if<Apply>(&operation_.action)) {
    body = ParseBody(apply->object, policy);
  }
  if (const auto refusal = AdmitOperation(operation_, body, envelope, policy)) {
    Finish(OutcomeCode::kRefused, refusal->reason, refusal->message);
    return;
  }
  desired_ = std::make_shared<const Json>(*std::move(body));
  outcome_.digest = DigestOf(*desired_);
  version_before_ = operation_.precondition.resource_version.empty()
                        ? operation_.observed_version
                        : operation_.precondition.resource_version;
  verifying_ = NeedsProof(policy);
  if (verifying_ || std::holds_alternative<RemoveFinalizer>(operation_.action)) {
    step_ = Step::kRead;
  }
}

/// True if the precondition alone does not prove that the parent owns the object.
bool OperationRun::NeedsProof(const Policy& policy) const {
  if (!policy.verify_owner || writes_parent_) return false;
  if (std::holds_alternative<Delete>(operation_.action)) return true;
  return std::holds_alternative<Apply>(operation_.action) && !operation_.precondition.absent &&
         Controller(*desired_) == nullptr;
}

Wants OperationRun::wants() const {
  if (in_flight_ || step_ == Step::kFinished) return Wants::kNothing;
  return reads() ? Wants::kRead : Wants::kWrite;
}

bool OperationRun::repairs() const {
  return step_ == Step::kRepair || step_ == Step::kRepairRead || step_ == Step::kReapply;
}

RequestClass OperationRun::NextClass() const {
  constexpr std::string_view kVerbs[] = {"update", "delete", "patch", "patch", "create"};
  RequestClass name{ResourceName(operation_.target.type), "get"};
  if (reads()) return name;
  name.verb = kVerbs[operation_.action.index()];
  if (WriteVerb() == Verb::kCreate) name.verb = "create";
  return name;
}

Verb OperationRun::WriteVerb() const {
  if (std::holds_alternative<Delete>(operation_.action)) return Verb::kDelete;
  if (std::holds_alternative<AddFinalizer>(operation_.action)) return Verb::kAddFinalizer;
  if (std::holds_alternative<RemoveFinalizer>(operation_.action)) return Verb::kRemoveFinalizer;
  if (std::holds_alternative<EnsureSecret>(operation_.action)) return Verb::kEnsureSecret;
  const bool create = operation_.precondition.absent && step_ != Step::kRewrite && !repairs();
  return create ? Verb::kCreate : Verb::kUpdate;
}

kube::ApiRequest OperationRun::Take(const RunContext& context, const std::string& parent_version) {
  in_flight_ = true;
  if (reads()) {
    if (writes_parent_) parent_version_ = parent_version;
    return GetRequest(operation_.target);
  }
  if (step_ == Step::kRepair) {
    return JsonPatchRequest(operation_.target, context.manager, repair_->patch);
  }
  if (step_ == Step::kReapply) {
    return ApplyRequest(operation_.target, context.manager, *desired_, {outcome_.uid, ""});
  }
  return step_ == Step::kRewrite ? TakeRewrite(context) : TakeWrite(context, parent_version);
}

kube::ApiRequest OperationRun::TakeWrite(const RunContext& context,
                                         const std::string& parent_version) {
  if (const auto* secret = std::get_if<EnsureSecret>(&operation_.action)) {
    return CreateSecretRequest(operation_.target, context.manager, *secret, context.random);
  }
  if (const auto* del = std::get_if<Delete>(&operation_.action)) {
    return DeleteRequest(operation_.target, operation_.precondition, del->propagation);
  }
  if (WriteVerb() == Verb::kCreate) {
    return CreateRequest(operation_.target, context.manager, *desired_);
  }
  Expect expect{operation_.precondition.uid, operation_.precondition.resource_version};
  if (writes_parent_) {
    version_before_ = parent_version;
    if (!expect.resource_version.empty()) expect.resource_version = parent_version;
  }
  if (const auto* add = std::get_if<AddFinalizer>(&operation_.action)) {
    return AddFinalizerRequest(operation_.target, context.manager, add->finalizer,
                               {context.parent.uid, parent_version});
  }
  return UpdateRequest(context, expect);
}

kube::ApiRequest OperationRun::UpdateRequest(const RunContext& context, Expect expect) {
  std::optional<kube::ApiRequest> patch;
  if (!must_apply_) {
    const auto& fields = std::get<Apply>(operation_.action).changed_fields;
    patch = FieldPatchRequest(operation_.target, context.manager, *desired_, fields, expect);
  }
  patching_ = patch.has_value();
  if (patching_) return *std::move(patch);
  if (!expect.resource_version.empty() && !patched_version_.empty()) {
    expect.resource_version = patched_version_;
  }
  return ApplyRequest(operation_.target, context.manager, *desired_, expect);
}

kube::ApiRequest OperationRun::TakeRewrite(const RunContext& context) const {
  const Expect expect{live_->uid, live_->resource_version};
  if (const auto* remove = std::get_if<RemoveFinalizer>(&operation_.action)) {
    const size_t index = FindFinalizer(live_->json, remove->finalizer).value_or(0);
    return RemoveFinalizerRequest(operation_.target, context.manager, remove->finalizer, index,
                                  expect);
  }
  return ApplyRequest(operation_.target, context.manager, *desired_, expect);
}

void OperationRun::On(const kube::ApiResponse& response, const RunContext& context) {
  if (!in_flight_) return;
  in_flight_ = false;
  if (repairs()) return OnRepairAnswer(response, context);
  reads() ? OnRead(response, context) : OnWrite(response, context);
  HedgeIfPatched();
}

void OperationRun::OnWrite(const kube::ApiResponse& response, const RunContext& context) {
  const Verb verb = WriteVerb();
  AnswerFacts facts = ReadFacts(verb, response, operation_.target);
  facts.desired = desired_.get();
  std::optional<LiveObject> answer;
  if (facts.http >= 200 && facts.http < 300) {
    answer = ReadLiveObject(response.body);
    facts.readable = answer.has_value();
    facts.unchanged = answer && answer->resource_version == version_before_;
  }
  const Decision decision = Decide(facts);
  if (std::exchange(patching_, false) && NeedsApply(response, answer)) {
    must_apply_ = true;
    return;
  }
  if (decision.certainty == Certainty::kDone) {
    OnSuccess(decision, facts, answer);
    if (verb == Verb::kUpdate) BeginRepair(*answer, context);
    return;
  }
  SetFailure(decision, facts, &outcome_);
  const bool undecided = decision.next == NextStep::kReadLive && step_ == Step::kWrite;
  step_ = undecided ? Step::kRead : Step::kFinished;
}

/// True if a patch did not succeed because the object differs from the one that was observed, or
/// did not make it as desired: other fields than those of the patch have changed since the
/// observation.
bool OperationRun::NeedsApply(const kube::ApiResponse& response,
                              const std::optional<LiveObject>& answer) {
  if (response.status == kPatchFailed) return true;
  if (!answer || Covers(answer->json, *desired_)) return false;
  patched_version_ = answer->resource_version;
  return true;
}

/// A patch has changed the object: the operation has not been rejected as a whole.
void OperationRun::HedgeIfPatched() {
  const bool rejected = outcome_.certainty == Certainty::kRejected;
  if (rejected && !patched_version_.empty()) outcome_.certainty = Certainty::kUnknown;
}

void OperationRun::OnSuccess(const Decision& decision, const AnswerFacts& facts,
                             const std::optional<LiveObject>& answer) {
  step_ = Step::kFinished;
  SetOwn(decision.code, decision.certainty, "", "", &outcome_);
  outcome_.http_status = facts.http;
  outcome_.uid = operation_.precondition.uid;
  outcome_.resource_version.clear();
  if (answer) {
    outcome_.uid = answer->uid;
    outcome_.resource_version = answer->resource_version;
    parent_gone_ = writes_parent_ && IsGone(*answer);
  }
  if (std::holds_alternative<Delete>(operation_.action)) {
    outcome_.terminating = facts.http == 202 || (answer && answer->deleting);
  } else if (std::holds_alternative<Apply>(operation_.action) && answer) {
    TakeApplied(answer->json);
  }
  if (decision.code == OutcomeCode::kAbsent) parent_gone_ = writes_parent_;
}

void OperationRun::BeginRepair(const LiveObject& answer, const RunContext& context) {
  const bool same_fields = std::get<Apply>(operation_.action).same_fields;
  repair_ = RepairCoOwnership(answer.json, context.manager, same_fields);
  step_ = repair_ ? Step::kRepair : Step::kFinished;
}

/// A repair that fails at any step leaves the object as the watcher then shows it: co-owned.
void OperationRun::OnRepairAnswer(const kube::ApiResponse& response, const RunContext& context) {
  const Step step = std::exchange(step_, Step::kFinished);
  const std::optional<LiveObject> answer = response.status >= 200 && response.status < 300
                                               ? ReadLiveObject(response.body)
                                               : std::nullopt;
  if (!answer) {
    const bool moved = step == Step::kRepair && response.status == 422;
    if (moved && !std::exchange(repair_read_, true)) step_ = Step::kRepairRead;
    return;
  }
  if (answer->uid != outcome_.uid) return;
  if (step == Step::kRepairRead) return BeginRepair(*answer, context);
  outcome_.resource_version = answer->resource_version;
  if (step == Step::kRepair) {
    // The values in this answer can be those of another writer: the digest of the apply stays.
    outcome_.as_desired = false;
    if (repair_->reapply) step_ = Step::kReapply;
    return;
  }
  TakeApplied(answer->json);
}

void OperationRun::TakeApplied(const Json& answer) {
  outcome_.as_desired = Covers(answer, *desired_);
  const bool stamped = DigestOf(answer) == DigestOf(*desired_);
  outcome_.result_digest = outcome_.as_desired && stamped ? "" : FieldsDigest(answer, *desired_);
}

LiveFacts OperationRun::ReadLive(const kube::ApiResponse& response,
                                 const RunContext& context) const {
  LiveFacts facts;
  facts.verb = WriteVerb();
  facts.verifying = verifying_;
  facts.read = ReadFacts(facts.verb, response, operation_.target);
  if (facts.read.http != 200) return facts;
  facts.live = ReadLiveObject(response.body);
  if (!facts.live) return facts;
  facts.ours = IsOurs(facts.live->json, *desired_, context);
  facts.as_desired = facts.ours && facts.verb == Verb::kCreate && !facts.live->deleting &&
                     DigestOf(facts.live->json) == DigestOf(*desired_) &&
                     Covers(facts.live->json, *desired_);
  facts.may_touch = MayTouch(facts.live->json, context);
  facts.same_uid =
      facts.live->uid == (verifying_ ? operation_.precondition.uid : context.parent.uid);
  facts.same_version = facts.live->resource_version == parent_version_;
  if (const auto* remove = std::get_if<RemoveFinalizer>(&operation_.action)) {
    facts.has_finalizer = FindFinalizer(facts.live->json, remove->finalizer).has_value();
  }
  return facts;
}

void OperationRun::OnRead(const kube::ApiResponse& response, const RunContext& context) {
  const LiveFacts facts = ReadLive(response, context);
  const Decision decision = DecideLive(facts);
  if (decision.next != NextStep::kWriteLive) {
    return EndAfterRead(decision, facts, context);
  }
  if (std::exchange(verifying_, false)) {
    step_ = Step::kWrite;
    return;
  }
  live_ = facts.live;
  version_before_ = live_->resource_version;
  step_ = Step::kRewrite;
}

void OperationRun::EndAfterRead(const Decision& decision, const LiveFacts& facts,
                                const RunContext& context) {
  if (decision.certainty == Certainty::kDone) {
    const bool gone = decision.code == OutcomeCode::kAbsent;
    return OnSuccess(decision, facts.read, gone ? std::nullopt : facts.live);
  }
  step_ = Step::kFinished;
  std::string reason = outcome_.reason, message = outcome_.message;
  if (facts.live &&
      (decision.code == OutcomeCode::kNameConflict || decision.code == OutcomeCode::kRefused)) {
    message = DescribeHolder(operation_.target, facts.live->json, context.parent);
    if (decision.code == OutcomeCode::kRefused) reason = "NotOwned";
  } else if (decision.code == OutcomeCode::kTerminating) {
    message = absl::StrCat("an older ", Describe(operation_.target),
                           " of this parent is still terminating");
  } else if (facts.verifying && decision.code == OutcomeCode::kStale) {
    message = absl::StrCat(Describe(operation_.target), " is not the object that was planned for");
  }
  if (decision.read_failed) {
    SetFailure(decision, facts.read, &outcome_);
  } else {
    SetOwn(decision.code, decision.certainty, reason, message, &outcome_);
  }
  if (!facts.live) return;
  outcome_.uid = facts.live->uid;
  if (decision.code == OutcomeCode::kNameConflict) {
    outcome_.holder_uid = ControllerUid(facts.live->json);
  }
}

void OperationRun::Finish(OutcomeCode code, std::string_view reason, std::string_view message) {
  const bool written = repairs();
  step_ = Step::kFinished;
  if (written) return;
  SetOwn(code, Certainty::kRejected, reason, message, &outcome_);
  HedgeIfPatched();
}

}  // namespace xebec::applier
