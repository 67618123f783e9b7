// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/status/applied_condition.h"

#include "applier/engine/outcomes/outcome_text.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

enum class Severity { kNone, kNotStarted, kPassing, kLasting };

Severity SeverityOf(const Outcome& outcome) {
  if (Succeeded(outcome)) return Severity::kNone;
  switch (outcome.code) {
    case OutcomeCode::kNotStarted:
      return Severity::kNotStarted;
    case OutcomeCode::kThrottled:
    case OutcomeCode::kStale:
      return Severity::kPassing;
    default:
      return Severity::kLasting;
  }
}

std::string TransitionTime(const StatusIntent& intent, const ConditionValue& applied,
                           absl::Time now) {
  const bool kept = intent.observed_applied && intent.observed_applied->status == applied.status &&
                    !intent.observed_applied_since.empty();
  if (kept) return intent.observed_applied_since;
  if (!intent.now.empty()) return intent.now;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", now, absl::UTCTimeZone());
}

/// Adds the members of `nulls` to `target`, where it has no such member.
void AddNulls(const Json& nulls, Json* target) {
  if (!nulls.is_object()) return;
  if (!target->is_object()) *target = Json::object();
  for (const auto& [key, value] : nulls.items()) AddNulls(value, &(*target)[key]);
}

/// Adds the conditions of `part` except Applied.
void AddConditions(const Json& part, Json* conditions) {
  const Json* list = Find(part, {"conditions"});
  if (list == nullptr || !list->is_array()) return;
  for (const Json& each : *list) {
    if (FindString(each, {"type"}) != kAppliedCondition) conditions->push_back(each);
  }
}

void AddAmendments(const StatusIntent& intent, Json* part, Json* conditions) {
  if (!intent.amendments) return;
  const absl::StatusOr<Json> amendments = ParseJson(*intent.amendments);
  if (!amendments.ok() || !amendments->is_object()) return;
  AddConditions(*amendments, conditions);
  for (const auto& [key, value] : amendments->items()) {
    if (key != "conditions") AddNulls(value, &(*part)[key]);
  }
}

}  // namespace

std::string ReasonOf(const Outcome& outcome) {
  switch (outcome.code) {
    case OutcomeCode::kInvalid:
      return "InvalidSpec";
    case OutcomeCode::kForbidden:
    case OutcomeCode::kAdmissionDenied:
    case OutcomeCode::kTooLarge:
    case OutcomeCode::kUnexpected:
      return "Rejected";
    case OutcomeCode::kRefused:
      if (!outcome.reason.empty()) return outcome.reason;
      break;
    default:
      break;
  }
  return std::string(Name(outcome.code));
}

ConditionValue AppliedAfter(const std::vector<Outcome>& outcomes, const StatusIntent& intent) {
  const Outcome* worst = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (SeverityOf(outcome) > (worst == nullptr ? Severity::kNone : SeverityOf(*worst))) {
      worst = &outcome;
    }
  }
  if (worst != nullptr) {
    // The next reconcile repairs it: writing the condition now and once more after that would only
    // add to the load.
    const bool passing = SeverityOf(*worst) < Severity::kLasting;
    if (passing && intent.observed_applied) return *intent.observed_applied;
    return {"False", ReasonOf(*worst), worst->message};
  }
  if (intent.blocked) return *intent.blocked;
  return {"True", "Applied", ""};
}

bool MustWriteStatus(const StatusIntent& intent, const ConditionValue& applied) {
  return intent.changed || intent.observed_applied != applied;
}

Json WithApplied(Json status, const StatusIntent& intent, const ConditionValue& applied,
                 int64_t generation, absl::Time now) {
  Json condition = {{"type", kAppliedCondition},
                    {"status", applied.status},
                    {"reason", applied.reason},
                    {"message", applied.message},
                    {"lastTransitionTime", TransitionTime(intent, applied, now)}};
  if (generation > 0) condition["observedGeneration"] = generation;
  Json& part = status["status"];
  if (!part.is_object()) part = Json::object();
  Json conditions = Json::array();
  AddConditions(part, &conditions);
  AddAmendments(intent, &part, &conditions);
  conditions.push_back(std::move(condition));
  part["conditions"] = std::move(conditions);
  return status;
}

}  // namespace xebec::applier
