// SPDX-License-Identifier: Apache-2.0
#include "planner/core/failures.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/model/well_known.h"

namespace xebec::planner {
namespace {

struct Row {
  OutcomeCode code;
  const char* reason;
  const char* fallback;  // the message if the outcome has none
  bool needs_user;
  bool warns;
  bool about_content;  // this content was refused; other content may be accepted
};

constexpr Row kRows[] = {
    {OutcomeCode::kInvalid, "Rejected", "the API server rejected a field as invalid", true, true,
     true},
    {OutcomeCode::kAdmissionDenied, "Rejected", "an admission webhook or policy denied the write",
     true, true, true},
    {OutcomeCode::kTooLarge, "Rejected", "the object is too large for the API server", true, true,
     true},
    {OutcomeCode::kForbidden, "Rejected", "the applier is not permitted to write this object",
     false, true, false},
    {OutcomeCode::kRefused, "Rejected", "the applier's configuration does not allow this write",
     false, true, false},
    {OutcomeCode::kNotServed, "Rejected", "the API server does not serve this kind", false, true,
     false},
    {OutcomeCode::kQuotaExceeded, "QuotaExceeded", "a resource quota is exceeded", false, true,
     false},
    {OutcomeCode::kNamespaceTerminating, "NamespaceUnavailable",
     "the namespace does not exist or is being deleted", false, true, false},
    {OutcomeCode::kNameConflict, "NameConflict", "an unowned object has this name", false, true,
     false},
    {OutcomeCode::kTerminating, "Terminating", "the object of this name is still being deleted",
     false, false, false},
};

const Row* FindRow(OutcomeCode code) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& each) { return each.code == code; });
  return row == std::end(kRows) ? nullptr : row;
}

std::string PlannedDigest(const Operation& operation) {
  const auto* apply = std::get_if<Apply>(&operation.action);
  if (apply == nullptr || apply->object == nullptr) return "";
  const absl::StatusOr<Json> object = ParseJson(*apply->object);
  if (!object.ok()) return "";
  return FindString(*object, {"metadata", "annotations", kDigestAnnotation});
}

bool IsOver(const Row& row, const Outcome& outcome, const Operation& operation) {
  return row.about_content && !outcome.digest.empty() && outcome.digest != PlannedDigest(operation);
}

// A parent that is not being deleted is planned only while newer outcomes show that its namespace
// exists, or for an attempt, which shows nothing.
bool NamespaceIsBack(const Outcome& outcome, const View& view) {
  return !view.finalizing && ShowsParentNamespaceGoing(outcome, view.ns);
}

Failure MakeFailure(const Row& row, const Outcome& outcome, const Operation& operation) {
  Failure failure{row.reason, outcome.message, row.needs_user, row.warns, "Apply"};
  if (std::holds_alternative<Delete>(operation.action)) failure.action = "Delete";
  // Pod Security has no code of its own.
  if (absl::StrContains(failure.message, "violates PodSecurity")) {
    failure.reason = "PodSecurityViolation";
  }
  if (failure.message.empty()) {
    failure.message = absl::StrCat(Describe(operation.target), ": ", row.fallback);
  }
  return failure;
}

}  // namespace

std::optional<Failure> FindFailure(const std::vector<Stage>& stages, const View& view,
                                   const std::set<std::string>& ignored) {
  const Row* worst = nullptr;
  Failure found;
  size_t count = 0;
  for (const Stage& stage : stages) {
    for (const Operation& operation : stage.operations) {
      if (ignored.contains(operation.id)) continue;
      const Outcome* outcome = view.LastOutcome(operation.id);
      const Row* row = outcome == nullptr ? nullptr : FindRow(outcome->code);
      if (row == nullptr || IsOver(*row, *outcome, operation)) continue;
      if (NamespaceIsBack(*outcome, view)) continue;
      ++count;
      if (worst != nullptr && worst <= row) continue;  // the table is ordered by severity
      worst = row;
      found = MakeFailure(*row, *outcome, operation);
    }
  }
  if (worst == nullptr) return std::nullopt;
  if (count > 1) absl::StrAppend(&found.message, " (and ", count - 1, " more)");
  return found;
}

Condition DeletionDeferredCondition(const std::vector<Stage>& stages, const View& view) {
  Condition condition{std::string(kDeletionDeferred), "", std::string(kDeletionDeferred), ""};
  for (const Stage& stage : stages) {
    for (const Operation& operation : stage.operations) {
      const Outcome* outcome = view.LastOutcome(operation.id);
      if (outcome == nullptr || outcome->reason != kDeletionDeferred) continue;
      condition.status = "True";
      condition.message = outcome->message;
    }
  }
  return condition;
}

}  // namespace xebec::planner
