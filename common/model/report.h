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

/// The knowledge of the applier about the effect of an operation.
enum class Certainty { kDone, kRejected, kUnknown };

/// The outcome of an operation. proto/xebec/v1/report.proto documents each code.
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
  kUnavailable,
};

/// The last code of the enumeration, for loops over all codes.
inline constexpr OutcomeCode kLastOutcomeCode = OutcomeCode::kUnavailable;

/// Returns the name of a code in UpperCamelCase, as metrics, logs and conditions show it:
/// "NameConflict".
std::string_view Name(OutcomeCode code);

/// The operation id of the status write in a report.
inline constexpr std::string_view kStatusOperation = "status";

/// The outcome of one operation.
struct Outcome {
  std::string operation;  ///< Operation::id, or kStatusOperation.
  ObjectRef target;
  OutcomeCode code = OutcomeCode::kUnexpected;
  Certainty certainty = Certainty::kUnknown;
  int http_status = 0;  ///< 0 if no answer arrived.
  std::string reason;   ///< Status.reason of the API server, or the applier's own; may be empty.
  std::string message;  ///< For users, at most 1 KiB.
  /// After a success, the uid of the object. After a name conflict, the uid of the object that has
  /// the name, if known.
  std::string uid;
  std::string resource_version;  ///< Set after a success.
  std::string digest;            ///< Digest of the desired object that was applied.
  /// FieldsDigest() of the answer to an apply. Empty for other operations, and if the answer is as
  /// desired, digest annotation included.
  std::string result_digest;
  /// The answer to an apply contains all desired fields with the desired values. Only in reports.
  bool as_desired = false;
  bool terminating = false;  ///< The deleted object still exists.
  std::string memo;          ///< Operation::memo, added by the watcher; empty in reports.
  /// After a name conflict, the uid of the controller of the object that has the name. Empty if it
  /// has none.
  std::string holder_uid;
  /// The number of consecutive outcomes of the operation with this code and this digest, 1 for the
  /// first. Counted by the watcher; 0 in reports.
  uint32_t repeats = 0;
  /// The time at which the watcher received the report; InfinitePast in reports.
  absl::Time at = absl::InfinitePast();

  bool operator==(const Outcome&) const = default;
};

/// Returns true if the outcome shows that the namespace `parent_ns` of a parent does not exist or
/// is being deleted: the parent goes with it. Always false for a cluster-scoped parent, whose
/// `parent_ns` is empty: only its children in that namespace go.
bool ShowsParentNamespaceGoing(const Outcome& outcome, std::string_view parent_ns);

/// The outcomes of one plan.
struct Report {
  Envelope envelope;  ///< The envelope of the plan.
  /// One outcome for each operation, in order, then that of the status write if there was one.
  std::vector<Outcome> outcomes;
  uint64_t highest_epoch = 0;  ///< The highest epoch that the applier knows for the bucket.
  std::optional<absl::Duration> retry_after;  ///< The delay that the API server requests.

  bool operator==(const Report&) const = default;
};

}  // namespace xebec
