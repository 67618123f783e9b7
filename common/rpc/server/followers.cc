// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/followers.h"

#include <algorithm>

namespace xebec::rpc {

void Followers::Call() {
  MutexLock lock(&mu_);
  if (calls_ == followers_) return;
  ++calls_;
  called_.NotifyOne();
}

bool Followers::AwaitCall() {
  MutexLock lock(&mu_);
  ++followers_;
  while (!MayGo() && looking_) called_.Wait(&mu_);
  if (!MayGo()) {
    looking_ = true;
    Look();
    looking_ = false;
    called_.NotifyOne();  // the next one looks
  }
  --followers_;
  calls_ -= std::min<size_t>(calls_, 1);
  return !dismissed_;
}

void Followers::Look() {
  uint64_t seen = ended_waits_;
  for (absl::Duration pause = kLook; !MayGo();) {
    if (!called_.WaitFor(&mu_, pause)) continue;
    const bool same = ended_waits_ == seen;
    if (same && !AnyWaits()) return;
    pause = same ? std::min(2 * pause, kIdleFactor * kLook) : kLook;
    seen = ended_waits_;
  }
}

void Followers::Dismiss() {
  MutexLock lock(&mu_);
  dismissed_ = true;
  called_.NotifyAll();
}

}  // namespace xebec::rpc
