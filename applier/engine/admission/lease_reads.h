// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "applier/engine/admission/fence.h"
#include "common/kube/api_request.h"
#include "common/model/report.h"

namespace xebec::applier {

/// Reasons of LeaseFailure.
inline constexpr std::string_view kLeaseUnreadable = "LeaseUnreadable";
inline constexpr std::string_view kApiServerUnreachable = "ApiServerUnreachable";

/// The outcome of plans that waited for a Lease which could not be read.
struct LeaseFailure {
  OutcomeCode code = OutcomeCode::kUnavailable;
  std::string reason;  ///< kLeaseUnreadable or kApiServerUnreachable.
  std::string message;
  std::optional<absl::Duration> retry_after;
};

/// Reads of the Leases that tell which watcher is in charge of a bucket: at most one at a time for
/// each bucket, whatever number of plans waits for it. When the API server answers 429 or 503, the
/// read is repeated once, after the time that the server asked for, while the plans wait. A value;
/// times are monotonic.
class LeaseReads {
 public:
  /// What the plans that wait for a bucket's Lease do next.
  struct Verdict {
    enum class Next {
      kCheckAgain,  ///< The Lease was read; the fence knows it.
      kWait,        ///< The read is repeated later: see Due.
      kFail,        ///< End with `failure`.
    } next = Next::kCheckAgain;
    LeaseFailure failure;
  };

  LeaseReads(std::string ns, std::string prefix) : ns_(std::move(ns)), prefix_(std::move(prefix)) {}

  /// The GET of the bucket's Lease. nullopt while a read is in flight or must wait.
  std::optional<kube::ApiRequest> Read(uint32_t bucket, absl::Duration now);
  /// The answer to it; tells `fence` what it says.
  Verdict OnAnswer(uint32_t bucket, const kube::ApiResponse& response, absl::Duration now,
                   Fence* fence);
  /// Buckets whose repeated read is due.
  std::vector<uint32_t> Due(absl::Duration now) const;
  /// The bucket whose Lease a probe reads: one that plans named, or 0.
  uint32_t ProbeBucket() const { return states_.empty() ? 0 : states_.begin()->first; }

  /// Reads that failed, by HTTP status; 0 means that no answer came.
  const std::map<int, uint64_t>& errors() const { return errors_; }

 private:
  struct State {
    std::optional<absl::Duration> asked;  // in flight since
    absl::Duration not_before = -absl::InfiniteDuration();
    bool waiting = false;  // plans wait for the repeated read
    bool repeated = false;
  };

  Verdict Fail(uint32_t bucket, const kube::ApiResponse& response, const std::string& why,
               absl::Duration now);

  std::string ns_, prefix_;
  std::map<uint32_t, State> states_;
  std::map<int, uint64_t> errors_;
};

}  // namespace xebec::applier
