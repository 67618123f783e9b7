// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "applier/engine/admission/fence.h"
#include "common/kube/api_request.h"
#include "common/model/report.h"

namespace xebec::applier {

/// Reasons of LeaseFailure.
inline constexpr std::string_view kLeaseUnreadable = "LeaseUnreadable";
inline constexpr std::string_view kApiServerUnreachable = "ApiServerUnreachable";

/// The outcome of plans that waited for an assignment which could not be read.
struct LeaseFailure {
  OutcomeCode code = OutcomeCode::kUnavailable;
  std::string reason;  ///< kLeaseUnreadable or kApiServerUnreachable.
  std::string message;
  std::optional<absl::Duration> retry_after;
};

/// Reads of the assignment, which tells the watchers in charge, from its Lease: at most one at a
/// time, whatever number of plans waits for it. When the API server answers 429 or 503, the read is
/// repeated once, after the time that the server asked for, while the plans wait. A value; times
/// are monotonic.
class LeaseReads {
 public:
  /// The next step of the plans that wait for the assignment.
  struct Verdict {
    enum class Next {
      kCheckAgain,  ///< The assignment was read; the fence knows it.
      kWait,        ///< The read is repeated later: see Due.
      kFail,        ///< End with `failure`.
    } next = Next::kCheckAgain;
    LeaseFailure failure;
  };

  /// The Lease with the assignment in namespace `ns`.
  LeaseReads(std::string ns, std::string name) : ns_(std::move(ns)), name_(std::move(name)) {}

  /// The GET of the assignment. nullopt while a read is in flight or must wait.
  std::optional<kube::ApiRequest> Read(absl::Duration now);
  /// Takes the answer to it, for `fence`. A Lease without a valid assignment is as bad as
  /// one that cannot be read; without a Lease, there is no assignment.
  Verdict OnAnswer(const kube::ApiResponse& response, absl::Duration now, Fence* fence);
  /// True if a repeated read is due.
  bool Due(absl::Duration now) const { return waiting_ && now >= not_before_; }

  /// Reads that failed, by HTTP status; 0 means that no answer came.
  const std::map<int, uint64_t>& errors() const { return errors_; }

 private:
  Verdict Fail(const kube::ApiResponse& response, const std::string& why, absl::Duration now);

  std::string ns_, name_;
  std::optional<absl::Duration> asked_;  // in flight since
  absl::Duration not_before_ = -absl::InfiniteDuration();
  bool waiting_ = false;  // plans wait for the repeated read
  bool repeated_ = false;
  std::map<int, uint64_t> errors_;
};

}  // namespace xebec::applier
