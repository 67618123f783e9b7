// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/lease_reads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "applier/engine/run/request_builder.h"
#include "common/base/strings.h"
#include "common/kube/api_status.h"
#include "common/kube/lease.h"

namespace xebec::applier {
namespace {

constexpr absl::Duration kDefaultWait = absl::Seconds(1);  // without Retry-After
constexpr absl::Duration kLongestWait = absl::Seconds(5);  // plans live for some 10 s

bool Overloaded(const kube::ApiResponse& response) {
  return response.status == 429 || response.status == 503;
}

}  // namespace

std::optional<kube::ApiRequest> LeaseReads::Read(uint32_t bucket, absl::Duration now) {
  State& state = states_[bucket];
  if (state.asked) return std::nullopt;
  if (now < state.not_before) {
    state.waiting = true;
    return std::nullopt;
  }
  state.asked = now;
  state.waiting = false;
  return GetRequest({kube::LeaseType(), ns_, absl::StrCat(prefix_, bucket)});
}

LeaseReads::Verdict LeaseReads::OnAnswer(uint32_t bucket, const kube::ApiResponse& response,
                                         absl::Duration now, Fence* fence) {
  State& state = states_[bucket];
  const absl::Duration asked = std::exchange(state.asked, std::nullopt).value_or(now);
  if (response.error != kube::TransportError::kNone) {
    return Fail(bucket, response, response.error_message, now);
  }
  LeaseFact fact;
  if (response.status == 200) {
    const auto lease = kube::DecodeLease(response.body);
    if (!lease.ok())
      return Fail(bucket, response, std::string(ToStd(lease.status().message())), now);
    fact = {true, lease->transitions};
  } else if (response.status != 404) {
    return Fail(
        bucket, response,
        absl::StrCat("HTTP ", response.status, " ", kube::ParseApiStatus(response.body).message),
        now);
  }
  state.repeated = false;
  fence->OnLease(bucket, fact, asked);
  return {};
}

LeaseReads::Verdict LeaseReads::Fail(uint32_t bucket, const kube::ApiResponse& response,
                                     const std::string& why, absl::Duration now) {
  State& state = states_[bucket];
  const bool repeated = std::exchange(state.repeated, false);
  ++errors_[response.error == kube::TransportError::kNone ? response.status : 0];
  Verdict verdict{Verdict::Next::kFail, {}};
  LeaseFailure& failure = verdict.failure;
  if (Overloaded(response)) {
    const absl::Duration wait = response.retry_after.value_or(kDefaultWait);
    state.not_before = now + std::min(wait, kLongestWait);
    if (!repeated && wait <= kLongestWait) {
      state.waiting = state.repeated = true;
      return {Verdict::Next::kWait, {}};
    }
    failure.retry_after = wait;
    if (response.status == 429) failure.code = OutcomeCode::kThrottled;
  }
  const bool reached = response.error == kube::TransportError::kNone;
  failure.reason = reached ? kLeaseUnreadable : kApiServerUnreachable;
  failure.message = absl::StrCat("cannot read the Lease ", ns_, "/", prefix_, bucket,
                                 ", which tells the watcher in charge: ", why);
  return verdict;
}

std::vector<uint32_t> LeaseReads::Due(absl::Duration now) const {
  std::vector<uint32_t> due;
  for (const auto& [bucket, state] : states_) {
    if (state.waiting && now >= state.not_before) due.push_back(bucket);
  }
  return due;
}

}  // namespace xebec::applier
