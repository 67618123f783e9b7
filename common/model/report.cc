// SPDX-License-Identifier: Apache-2.0
#include "common/model/report.h"

namespace xebec {

std::string_view Name(OutcomeCode code) {
  switch (code) {
    case OutcomeCode::kCreated:
      return "Created";
    case OutcomeCode::kChanged:
      return "Changed";
    case OutcomeCode::kUnchanged:
      return "Unchanged";
    case OutcomeCode::kDeleted:
      return "Deleted";
    case OutcomeCode::kAbsent:
      return "Absent";
    case OutcomeCode::kExisted:
      return "Existed";
    case OutcomeCode::kStale:
      return "Stale";
    case OutcomeCode::kNameConflict:
      return "NameConflict";
    case OutcomeCode::kTerminating:
      return "Terminating";
    case OutcomeCode::kInvalid:
      return "Invalid";
    case OutcomeCode::kForbidden:
      return "Forbidden";
    case OutcomeCode::kQuotaExceeded:
      return "QuotaExceeded";
    case OutcomeCode::kNamespaceTerminating:
      return "NamespaceTerminating";
    case OutcomeCode::kAdmissionDenied:
      return "AdmissionDenied";
    case OutcomeCode::kThrottled:
      return "Throttled";
    case OutcomeCode::kServerError:
      return "ServerError";
    case OutcomeCode::kTimeout:
      return "Timeout";
    case OutcomeCode::kConnectionLost:
      return "ConnectionLost";
    case OutcomeCode::kNotStarted:
      return "NotStarted";
    case OutcomeCode::kRefused:
      return "Refused";
    case OutcomeCode::kFenced:
      return "Fenced";
    case OutcomeCode::kNotServed:
      return "NotServed";
    case OutcomeCode::kTooLarge:
      return "TooLarge";
    case OutcomeCode::kUnauthorized:
      return "Unauthorized";
    case OutcomeCode::kUnexpected:
      return "Unexpected";
    case OutcomeCode::kUnavailable:
      return "Unavailable";
  }
  return "Unexpected";
}

bool ShowsParentNamespaceGoing(const Outcome& outcome, std::string_view parent_ns) {
  return outcome.code == OutcomeCode::kNamespaceTerminating && !parent_ns.empty() &&
         outcome.target.ns == parent_ns;
}

}  // namespace xebec
