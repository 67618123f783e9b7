// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/applied_condition.h"

#include <algorithm>

#include "applier/engine/outcome_text.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

std::string TransitionTime(const StatusIntent& intent, const ConditionValue& applied,
                           absl::Time now) {
  const bool kept = intent.observed_applied && intent.observed_applied->status == applied.status &&
                    !intent.observed_applied_since.empty();
  if (kept) return intent.observed_applied_since;
  if (!intent.now.empty()) return intent.now;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", now, absl::UTCTimeZone());
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
  const auto failed = [](const Outcome& o) { return !Succeeded(o); };
  const auto started = [&](const Outcome& o) {
    return failed(o) && o.code != OutcomeCode::kNotStarted;
  };
  auto first = std::find_if(outcomes.begin(), outcomes.end(), started);
  if (first == outcomes.end()) first = std::find_if(outcomes.begin(), outcomes.end(), failed);
  if (first != outcomes.end()) return {"False", ReasonOf(*first), first->message};
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
  Json kept = Json::array();
  if (const auto found = part.find("conditions"); found != part.end() && found->is_array()) {
    for (const Json& other : *found) {
      if (FindString(other, {"type"}) != kAppliedCondition) kept.push_back(other);
    }
  }
  kept.push_back(std::move(condition));
  part["conditions"] = std::move(kept);
  return status;
}

}  // namespace xebec::applier
