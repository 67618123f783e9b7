// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/hook_watch.h"

#include <algorithm>
#include <utility>

#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

// Shorter than the drain timeout of a stream, so that no call is lost when a stream is replaced.
constexpr absl::Duration kPoll = absl::Seconds(20);
constexpr absl::Duration kPollGrace = absl::Seconds(15);  // for a host that does not answer
constexpr Backoff kRetry = {absl::Milliseconds(500), absl::Seconds(30)};
// For a gateway that starts, restarts or is replaced.
constexpr absl::Duration kConnecting = absl::Seconds(2);
constexpr absl::Duration kConnectingRetry = absl::Milliseconds(50);
// Changes of the program that follow within this time are those of one rollout.
constexpr absl::Duration kRollout = absl::Minutes(2);
constexpr Backoff kRolloutPause = {absl::Seconds(1), absl::Minutes(1)};

}  // namespace

void HookWatch::Follow(const std::string& operator_name, const HookEndpoint& endpoint,
                       absl::Duration now) {
  if (operator_name_ == operator_name && endpoint_ == endpoint) return;
  *this = HookWatch();
  operator_name_ = operator_name;
  endpoint_ = endpoint;
  call_at_ = now;
}

// Records that no gateway answers. Returns true if one may answer soon.
bool HookWatch::MayConnect(absl::Duration now) {
  missing_since_ = std::min(missing_since_, now);
  return now < missing_since_ + kConnecting;
}

void HookWatch::OnTick(absl::Duration now, uint32_t credits, uint64_t* sequence, Outputs* out) {
  if (call_at_ > now) return;
  if (credits == 0 && MayConnect(now)) {
    call_at_ = now + kConnectingRetry;
    return;
  }
  if (credits == 0) {
    state_ = HookState{false, "", "no gateway (xebec-hooks) is connected"};
    call_at_ = now + kRetry.min;
    return;
  }
  sequence_ = ++*sequence;
  call_at_ = now + kPoll + kPollGrace;
  const HookState known = state_.value_or(HookState());
  out->push_back(CallHook{sequence_, {operator_name_, endpoint_, "", known, kPoll}});
}

// Before the state is taken: how long the next call waits.
absl::Duration HookWatch::TakePause(const HookState& state, absl::Duration now) {
  if (!state.available) return kRetry.min;
  const std::string before = state_ ? state_->revision : "";
  if (before.empty() || before == state.revision) return absl::ZeroDuration();
  changes_ = now < changed_at_ + kRollout ? changes_ + 1 : 0;
  changed_at_ = now;
  return BackoffDelay(kRolloutPause, changes_, Seed(operator_name_, 0));
}

bool HookWatch::On(const HookAnswered& input, absl::Duration now) {
  if (sequence_ == 0 || input.sequence != sequence_) return false;
  sequence_ = 0;
  if (const auto* state = std::get_if<HookState>(&input.reply.result)) {
    // A first answer may say what was assumed: that nothing is known yet.
    call_at_ = now + TakePause(*state, now);
    state_ = *state;
    failures_ = 0;
    missing_since_ = absl::InfiniteDuration();
    return true;
  }
  const auto* failure = std::get_if<HookFailure>(&input.reply.result);
  const bool may_pass = failure != nullptr && failure->code == HookFailureCode::kUnavailable;
  if (may_pass && state_ && MayConnect(now)) {
    call_at_ = now + kConnectingRetry;
    return true;
  }
  state_ = HookState{false, "",
                     failure != nullptr ? failure->message : "the gateway's answer is malformed"};
  call_at_ = now + BackoffDelay(kRetry, failures_++, Seed(operator_name_, 0));
  return true;
}

}  // namespace xebec::watcher
