// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/hook_pace.h"

#include <algorithm>

#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

constexpr uint32_t kMostCalls = 32;
constexpr uint32_t kFailuresToOpen = 5;
constexpr Backoff kBreak = {absl::Seconds(1), absl::Seconds(30)};

}  // namespace

bool HookPace::Allows(uint64_t calls, absl::Duration now) const {
  if (open(now)) return false;
  return calls < (openings_ > 0 ? 1 : limit_);
}

absl::Duration HookPace::NextChange(absl::Duration now) const {
  return open(now) ? OpenUntil() : absl::InfiniteDuration();
}

void HookPace::OnSuccess() {
  failures_ = openings_ = 0;
  open_until_ = -absl::InfiniteDuration();
  limit_ = std::min(kMostCalls, limit_ + 1);
}

void HookPace::OnFailure(const HookFailure& failure, absl::Duration begun, absl::Duration now) {
  if (failure.code == HookFailureCode::kThrottled) {
    asked_until_ = std::max(asked_until_, now + failure.retry_after.value_or(kBreak.min));
    limit_ = std::max(1u, limit_ / 2);
    return;
  }
  const bool no_answer = failure.code == HookFailureCode::kUnavailable ||
                         failure.code == HookFailureCode::kTimeout ||
                         failure.code == HookFailureCode::kForbidden;
  if (!no_answer) return OnSuccess();
  if (openings_ > 0 && begun < opened_at_) return;
  limit_ = std::max(1u, limit_ / 2);
  if (openings_ == 0 && ++failures_ < kFailuresToOpen) return;
  opened_at_ = now;
  open_until_ = now + BackoffDelay(kBreak, openings_++, Seed("breaker", 0));
}

void HookPace::OnAvailable(absl::Duration now) {
  if (openings_ > 0) open_until_ = std::min(open_until_, now);
}

}  // namespace xebec::watcher
