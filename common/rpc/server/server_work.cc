// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/server_work.h"

#include "common/base/tsan.h"

namespace xebec::rpc {

void ServerWork::Wake() {
  MutexLock lock(&mu_);
  woken_ = true;
  if (!asleep_ || queue_ == nullptr || ringing_.exchange(true)) return;
  tsan::Release(&alarm_);
  alarm_.Set(queue_, gpr_inf_past(GPR_CLOCK_MONOTONIC), &alarm_);
}

void ServerWork::Attach(grpc::CompletionQueue* queue) {
  MutexLock lock(&mu_);
  queue_ = queue;
}

void ServerWork::Detach() {
  MutexLock lock(&mu_);
  queue_ = nullptr;
}

absl::Duration ServerWork::TakeTurn() {
  {
    MutexLock lock(&mu_);
    woken_ = false;
  }
  const absl::Duration pause = Turn();
  MutexLock lock(&mu_);
  asleep_ = !woken_;
  return asleep_ ? pause : absl::ZeroDuration();
}

void ServerWork::Awake() {
  MutexLock lock(&mu_);
  asleep_ = false;
}

bool ServerWork::TakeAlarm(void* tag) {
  if (tag != &alarm_) return false;
  tsan::Acquire(tag);
  ringing_ = false;
  return true;
}

}  // namespace xebec::rpc
