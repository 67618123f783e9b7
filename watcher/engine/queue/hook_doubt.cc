// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/hook_doubt.h"

#include <algorithm>

namespace xebec::watcher {
namespace {

constexpr absl::Duration kPerAnswer = absl::Seconds(2);
constexpr absl::Duration kSuspicious = absl::Seconds(40);  // twenty answers

}  // namespace

bool HookDoubt::OnAnswer(bool cached, absl::Duration now) {
  if (cached) return differed_;
  debt_ = std::max(absl::ZeroDuration(), debt_ - (now - answered_at_)) + kPerAnswer;
  answered_at_ = now;
  return differed_ || debt_ > kSuspicious;
}

void HookDoubt::OnCompared(bool same) {
  differed_ = !same;
  if (same) debt_ = absl::ZeroDuration();
}

}  // namespace xebec::watcher
