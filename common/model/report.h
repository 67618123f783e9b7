// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/model/envelope.h"
#include "common/model/resource.h"

namespace xebec {

/// How sure the applier is of an outcome.
enum class Certainty { kDone, kRejected, kUnknown };

/// What became of an operation; proto/xebec/v1/report.proto says when each occurs.
enum class OutcomeCode {
  kCreated = 1,
  kChanged,
  kUnchanged,
  kDeleted,
  kAbsent,
  kExisted,
  kStale,
  kNameConflict,
  kTerminating,
  kInvalid,
  kForbidden,
  kQuotaExceeded,
  kNamespaceTerminating,
  kAdmissionDenied,
  kThrottled,
  kServerError,
  kTimeout,
  kConnectionLost,
  kNotStarted,
  kRefused,
  kFenced,
  kNotServed,
  kTooLarge,
  kUnauthorized,
  kUnexpected,
};

/// UpperCamelCase name of a code, as metrics, logs and conditions show it: "NameConflict".
std::string_view Name(OutcomeCode code);

/// Operation id of the status write in a report.
inline constexpr std::string_view kStatusOperation = "status";

/// What became of one operation.
struct Outcome {
  std::string operation;  ///< Operation::id, or kStatusOperation.
  ObjectRef target;
  OutcomeCode code = OutcomeCode::kUnexpected;
  Certainty certainty = Certainty::kUnknown;
  int http_status = 0;  ///< 0 when no answer came.
  std::string reason;   ///< Status.reason of the API server; may be empty.
  std::string message;  ///< For people, at most 1 KiB.
  std::string
      uid;  ///< After a success: of the object. After a conflict: of the one in the way, if known.
  std::string resource_version;  ///< After a success.
  std::string digest;            ///< Desired digest that was applied; empty for other operations.
  std::string
      result_digest;  ///< FieldsDigest() of the answer to an apply; empty for other operations.
  bool terminating = false;  ///< A deleted object that still exists.
  std::string
      memo;  ///< Operation::memo, added by the watcher to what it retains; empty in reports.
  /// Times in a row that the operation has had this code with this digest, 1 for the first; counted
  /// by the watcher in what it retains, 0 in reports.
  uint32_t repeats = 0;
  absl::Time at =
      absl::InfinitePast();  ///< When the watcher took the report; InfinitePast in reports.

  bool operator==(const Outcome&) const = default;
};

/// The outcomes of one plan.
struct Report {
  Envelope envelope;
  std::vector<Outcome>
      outcomes;  ///< One per operation in order, then the status write if there was one.
  uint64_t highest_epoch = 0;                 ///< Highest epoch known for the bucket.
  std::optional<absl::Duration> retry_after;  ///< The API server asked to be left alone.

  bool operator==(const Report&) const = default;
};

}  // namespace xebec
