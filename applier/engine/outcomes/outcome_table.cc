// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/outcome_table.h"

#include <algorithm>

#include "applier/engine/outcomes/field_path.h"
#include "common/base/strings.h"

namespace xebec::applier {
namespace {

using enum OutcomeCode;
using enum Certainty;
using enum NextStep;

constexpr uint16_t Bit(Verb verb) { return static_cast<uint16_t>(verb); }
constexpr uint16_t kCreate = Bit(Verb::kCreate), kUpdate = Bit(Verb::kUpdate),
                   kDelete = Bit(Verb::kDelete), kAddFinalizer = Bit(Verb::kAddFinalizer),
                   kRemoveFinalizer = Bit(Verb::kRemoveFinalizer),
                   kEnsureSecret = Bit(Verb::kEnsureSecret), kStatus = Bit(Verb::kStatus);
constexpr uint16_t kAny = 0x7f;
constexpr uint16_t kChanging = kCreate | kUpdate | kAddFinalizer | kRemoveFinalizer | kStatus;

bool Says(const AnswerFacts& f, std::string_view words) {
  return f.status.message.find(words) != std::string::npos;
}
bool HasCause(const AnswerFacts& f, std::string_view type) {
  return std::any_of(f.status.causes.begin(), f.status.causes.end(),
                     [&](const auto& cause) { return cause.type == type; });
}
bool Blames(const AnswerFacts& f, std::string_view field) {
  return std::any_of(f.status.causes.begin(), f.status.causes.end(),
                     [&](const auto& cause) { return cause.field.starts_with(field); });
}
/// The namespace of the target is missing. A target without a namespace may be one itself.
bool BlamesNamespace(const AnswerFacts& f) {
  return f.namespaced &&
         (f.status.details_kind == "namespaces" || f.status.message.starts_with("namespaces \""));
}
/// The answer speaks of the target itself, not of its namespace or its kind.
bool NamesTarget(const AnswerFacts& f) {
  return f.status.details_name == f.target_name && !f.target_name.empty() && !BlamesNamespace(f);
}

bool NotSent(const AnswerFacts& f) { return f.error == kube::TransportError::kNotSent; }
bool TimedOut(const AnswerFacts& f) { return f.error == kube::TransportError::kTimeout; }
bool Readable(const AnswerFacts& f) { return f.readable; }
bool Unchanged(const AnswerFacts& f) { return f.readable && f.unchanged; }
bool WebhookDenied(const AnswerFacts& f) {
  return (Says(f, "admission webhook \"") && Says(f, "denied the request")) ||
         (Says(f, "ValidatingAdmissionPolicy '") && Says(f, "denied request"));
}
bool QuotaExceeded(const AnswerFacts& f) {
  return Says(f, "exceeded quota") || Says(f, "failed quota") || Says(f, "insufficient quota to ");
}
bool NamespaceTerminating(const AnswerFacts& f) {
  return HasCause(f, "NamespaceTerminating") || Says(f, "because it is being terminated");
}
bool AccessDenied(const AnswerFacts& f) { return Says(f, "User \"") && Says(f, " cannot "); }
bool AdmissionForbids(const AnswerFacts& f) {
  return f.status.reason == "Forbidden" && Says(f, " is forbidden: ");
}
bool OtherUid(const AnswerFacts& f) {
  return Says(f, "UID in the precondition") || Says(f, "UID in precondition");
}
bool UidImmutable(const AnswerFacts& f) { return Blames(f, "metadata.uid"); }
bool SecondController(const AnswerFacts& f) {
  return Blames(f, "metadata.ownerReferences") && Says(f, "Only one reference can have Controller");
}
bool NoNewFinalizer(const AnswerFacts& f) { return Blames(f, "metadata.finalizers"); }
bool BlamesPlanned(const AnswerFacts& f) {
  if (f.desired == nullptr) return false;
  return std::any_of(f.status.causes.begin(), f.status.causes.end(), [&](const auto& cause) {
    return cause.type == "FieldValueTooLong" ||  // what we set is too long, or too much in all
           IsPlanned(*f.desired, cause.field, cause.type == "FieldValueRequired");
  });
}
// Not every 409 of a creation: a quota that is being counted answers with one as well.
bool AlreadyExists(const AnswerFacts& f) { return f.status.reason == "AlreadyExists"; }
bool StoreSaysTooLarge(const AnswerFacts& f) {
  return Says(f, "request is too large") || Says(f, "trying to send message larger than max");
}
bool WebhookFailed(const AnswerFacts& f) { return Says(f, "failed calling webhook"); }
bool NoTypedPatch(const AnswerFacts& f) { return Says(f, "failed to create typed patch object"); }

std::vector<OutcomeRow> MakeTable() {
  return {
      // No answer.
      {{"T1", kConnectionLost, kRejected, kFinish}, kAny, 0, 0, NotSent},
      {{"T2", kTimeout, kUnknown, kFinish}, kAny, 0, 0, TimedOut},
      {{"T3", kConnectionLost, kUnknown, kFinish}, kAny, 0, 0, nullptr},
      // Success.
      {{"S1", kCreated, kDone, kFinish}, kCreate | kEnsureSecret, 201, 201, Readable},
      {{"S2", kUnchanged, kDone, kFinish}, kChanging, 200, 201, Unchanged},
      {{"S3", kChanged, kDone, kFinish}, kChanging, 200, 201, Readable},
      {{"S4", kDeleted, kDone, kFinish}, kDelete, 200, 202, nullptr},
      {{"S5", kUnexpected, kUnknown, kFinish}, kAny, 200, 399, nullptr},
      // Denied by a webhook or policy, whatever the code.
      {{"A1", kAdmissionDenied, kRejected, kFinish}, kAny, 400, 499, WebhookDenied},
      {{"B1", kInvalid, kRejected, kFinish},
       kCreate | kUpdate | kStatus | kEnsureSecret,
       400,
       400,
       nullptr},
      {{"U1", kUnauthorized, kRejected, kFinish}, kAny, 401, 401, nullptr},
      {{"F1", kQuotaExceeded, kRejected, kFinish}, kAny, 403, 403, QuotaExceeded},
      {{"F2", OutcomeCode::kNamespaceTerminating, kRejected, kFinish},
       kAny,
       403,
       403,
       NamespaceTerminating},
      {{"F3", kForbidden, kRejected, kFinish}, kAny, 403, 403, AccessDenied},
      {{"F4", kAdmissionDenied, kRejected, kFinish}, kAny, 403, 403, AdmissionForbids},
      {{"F5", kForbidden, kRejected, kFinish}, kAny, 403, 403, nullptr},
      {{"N1", OutcomeCode::kNamespaceTerminating, kRejected, kFinish},
       kAny,
       404,
       404,
       BlamesNamespace},
      {{"N2", kAbsent, kDone, kFinish}, kDelete | kRemoveFinalizer, 404, 404, NamesTarget},
      {{"N3", kAbsent, kRejected, kReadLive}, kStatus, 404, 404, NamesTarget},
      {{"N4", kStale, kRejected, kFinish}, kUpdate | kAddFinalizer, 404, 404, NamesTarget},
      {{"N5", kNotServed, kRejected, kFinish}, kAny, 404, 405, nullptr},
      {{"C1", kStale, kRejected, kReadLive}, kCreate, 409, 409, nullptr},
      {{"C2", kExisted, kDone, kFinish}, kEnsureSecret, 409, 409, AlreadyExists},
      {{"C3", kAbsent, kDone, kFinish}, kDelete, 409, 409, OtherUid},
      {{"C4", kStale, kRejected, kFinish}, kAny, 409, 409, nullptr},
      {{"L1", kTooLarge, kRejected, kFinish}, kAny, 413, 413, nullptr},
      {{"V1", kStale, kRejected, kFinish},
       kUpdate | kAddFinalizer | kStatus,
       422,
       422,
       UidImmutable},
      {{"V2", kNameConflict, kRejected, kReadLive}, kUpdate, 422, 422, SecondController},
      {{"V3", kStale, kRejected, kFinish}, kRemoveFinalizer, 422, 422, nullptr},
      {{"V4", kStale, kRejected, kFinish}, kAddFinalizer, 422, 422, NoNewFinalizer},
      {{"V5", kInvalid, kRejected, kFinish}, kCreate | kUpdate | kStatus, 422, 422, BlamesPlanned},
      {{"V6", kInvalid, kRejected, kFinish}, kEnsureSecret, 422, 422, nullptr},
      {{"V7", kUnexpected, kRejected, kFinish}, kAny, 422, 422, nullptr},
      {{"R1", kThrottled, kRejected, kFinish}, kAny, 429, 429, nullptr},
      {{"X1", kUnexpected, kRejected, kFinish}, kAny, 400, 499, nullptr},
      {{"E1", kTooLarge, kRejected, kFinish}, kAny, 500, 599, StoreSaysTooLarge},
      {{"E2", kServerError, kRejected, kFinish}, kAny, 500, 599, WebhookFailed},
      {{"E3", kInvalid, kRejected, kFinish}, kUpdate, 500, 500, NoTypedPatch},
      {{"E4", kTimeout, kUnknown, kFinish}, kAny, 504, 504, nullptr},
      {{"E5", kServerError, kUnknown, kFinish}, kAny, 500, 599, nullptr},
  };
}

}  // namespace

const std::vector<OutcomeRow>& OutcomeTable() {
  static const auto& table = *new std::vector<OutcomeRow>(MakeTable());
  return table;
}

Decision Decide(const AnswerFacts& facts) {
  for (const OutcomeRow& row : OutcomeTable()) {
    if ((row.verbs & Bit(facts.verb)) == 0) continue;
    if (facts.http < row.http_low || facts.http > row.http_high) continue;
    if (row.matches == nullptr || row.matches(facts)) return row.decision;
  }
  return {"X2", kUnexpected, kUnknown, kFinish};
}

AnswerFacts ReadFacts(Verb verb, const kube::ApiResponse& response, const ObjectRef& target) {
  AnswerFacts facts;
  facts.verb = verb;
  facts.error = response.error;
  facts.http = response.error == kube::TransportError::kNone ? response.status : 0;
  facts.target_name = target.name;
  facts.namespaced = !target.ns.empty();
  if (facts.http >= 300) facts.status = kube::ParseApiStatus(response.body);
  return facts;
}

}  // namespace xebec::applier
