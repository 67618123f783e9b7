// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/lease_reads.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "applier/engine/requests/request_builder.h"
#include "common/base/strings.h"
#include "common/kube/api_status.h"
#include "common/kube/lease.h"
#include "common/model/assignment.h"

namespace xebec::applier {
namespace {

constexpr absl::Duration kDefaultWait = absl::Seconds(1);  // without Retry-After
constexpr absl::Duration kLongestWait = absl::Seconds(5);  // plans live for some 10 s

bool Overloaded(const kube::ApiResponse& response) {
  return response.status == 429 || response.status == 503;
}

/// The assignment in the body of a Lease.
absl::StatusOr<Assignment> Decode(std::string_view body) {
  const auto lease = kube::DecodeLease(body);
  if (!lease.ok()) return lease.status();
  const auto found = lease->annotations.find(std::string(kAssignmentAnnotation));
  if (found != lease->annotations.end()) return DecodeAssignment(found->second);
  return absl::InvalidArgumentError(
      absl::StrCat("it has no annotation ", ToAbsl(kAssignmentAnnotation)));
}

/// The assignment of an answer; without buckets if there is no Lease.
absl::StatusOr<Assignment> ReadAssignment(const kube::ApiResponse& response) {
  if (response.error != kube::TransportError::kNone) {
    return absl::UnavailableError(response.error_message);
  }
  if (response.status == 404) return Assignment();
  if (response.status != 200) {
    return absl::UnavailableError(
        absl::StrCat("HTTP ", response.status, " ", kube::ParseApiStatus(response.body).message));
  }
  absl::StatusOr<Assignment> assignment = Decode(response.body);
  if (assignment.ok()) return assignment;
  return absl::InvalidArgumentError(
      absl::StrCat(assignment.status().message(),
                   "; if this lasts, delete the Lease: the watchers create it again"));
}

}  // namespace

std::optional<kube::ApiRequest> LeaseReads::Read(absl::Duration now) {
  if (asked_) return std::nullopt;
  if (now < not_before_) {
    waiting_ = true;
    return std::nullopt;
  }
  asked_ = now;
  waiting_ = false;
  return GetRequest({kube::LeaseType(), ns_, name_});
}

LeaseReads::Verdict LeaseReads::OnAnswer(const kube::ApiResponse& response, absl::Duration now,
                                         Fence* fence) {
  const absl::Duration asked = std::exchange(asked_, std::nullopt).value_or(now);
  const absl::StatusOr<Assignment> assignment = ReadAssignment(response);
  if (!assignment.ok()) {
    return Fail(response, std::string(ToStd(assignment.status().message())), now);
  }
  repeated_ = false;
  fence->OnAssignment(*assignment, asked);
  return {};
}

LeaseReads::Verdict LeaseReads::Fail(const kube::ApiResponse& response, const std::string& why,
                                     absl::Duration now) {
  const bool repeated = std::exchange(repeated_, false);
  ++errors_[response.error == kube::TransportError::kNone ? response.status : 0];
  Verdict verdict{Verdict::Next::kFail, {}};
  LeaseFailure& failure = verdict.failure;
  if (Overloaded(response)) {
    const absl::Duration wait = response.retry_after.value_or(kDefaultWait);
    not_before_ = now + std::min(wait, kLongestWait);
    if (!repeated && wait <= kLongestWait) {
      waiting_ = repeated_ = true;
      return {Verdict::Next::kWait, {}};
    }
    failure.retry_after = wait;
    if (response.status == 429) failure.code = OutcomeCode::kThrottled;
  }
  const bool reached = response.error == kube::TransportError::kNone;
  failure.reason = reached ? kLeaseUnreadable : kApiServerUnreachable;
  failure.message = absl::StrCat("cannot read the assignment in the Lease ", ns_, "/", name_,
                                 ", which names the watcher of each bucket: ", why);
  return verdict;
}

}  // namespace xebec::applier
