// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/lane_hub.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"

namespace xebec::rpc {
namespace {

constexpr char kOverdue[] = "no answer within the time-out";
constexpr char kOverload[] = "too many sends wait for a free lane";

}  // namespace

LaneHub::LaneHub(const LaneOptions& options, std::unique_ptr<LaneProtocol> protocol)
    : options_(options), protocol_(std::move(protocol)), book_(options.max_waiting) {}

void LaneHub::Send(Parcel parcel, absl::Duration timeout) {
  parcel.deadline = ReadClock().monotonic + timeout;
  const absl::Duration deadline = parcel.deadline;
  MutexLock lock(&mu_);
  std::optional<Parcel> refused;
  std::string why = closed_.empty() ? kOverload : closed_;
  if (closed_.empty()) {
    refused = book_.Add(std::move(parcel));
  } else {
    refused = std::move(parcel);
  }
  WakeWriters();
  if (!refused && deadline >= clock_sleeps_until_) return;
  if (refused) refused_.push_back({*std::move(refused), std::move(why)});
  nudged_ = true;
  clock_wake_.NotifyAll();
}

size_t LaneHub::InFlight() const {
  MutexLock lock(&mu_);
  return book_.InFlight() + refused_.size();
}

void LaneHub::Close(const std::string& why) {
  Losses losses;
  {
    MutexLock lock(&mu_);
    closed_ = why;
    losses = book_.Clear();
    NoticeIdle();
  }
  Deliver(std::move(losses), why);
}

void LaneHub::AwaitIdle(absl::Duration patience) {
  const absl::Duration until = ReadClock().monotonic + patience;
  MutexLock lock(&mu_);
  while (book_.InFlight() > 0) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return;
    idle_.WaitFor(&mu_, left);
  }
}

void LaneHub::Enlist(LaneId lane) {
  MutexLock lock(&mu_);
  writers_.emplace(lane, std::make_unique<Writer>());
}

void LaneHub::Open(LaneId lane, const std::string& revision) {
  MutexLock lock(&mu_);
  if (writers_.at(lane)->draining) return;
  book_.Open(lane, revision);
}

absl::Duration LaneHub::HeartbeatInterval(LaneId lane) const {
  return book_.Busy(lane) ? options_.heartbeat_busy : options_.heartbeat_idle;
}

WriterTask LaneHub::NextTask(LaneId lane, absl::Duration last_heartbeat) {
  MutexLock lock(&mu_);
  Writer& writer = *writers_.at(lane);
  while (!writer.stopped) {
    if (std::optional<Parcel> parcel = book_.NextToWrite(lane)) return *std::move(parcel);
    if (writer.draining && !book_.Busy(lane)) return EndWrites{};
    const absl::Duration due = last_heartbeat + HeartbeatInterval(lane);
    const absl::Duration now = ReadClock().monotonic;
    if (now >= due) return WriteHeartbeat{};
    writer.wake.WaitFor(&mu_, due - now);
  }
  return StopWriting{};
}

void LaneHub::Take(LaneId lane, Answer answer) {
  bool wanted = false;
  {
    MutexLock lock(&mu_);
    if (answer.sequence != 0) wanted = book_.Settle(lane, answer.sequence);
    book_.Grant(lane, answer.credits);
    WakeWriters();
    NoticeIdle();
    Writer& writer = *writers_.at(lane);
    if (writer.draining && !book_.Busy(lane)) writer.wake.NotifyAll();
  }
  if (wanted) protocol_->OnAnswer(std::move(answer));
  PublishCapacity();
}

void LaneHub::RefuseTooLarge(LaneId lane, uint64_t sequence, const std::string& why) {
  Answer answer;
  answer.sequence = sequence;
  answer.credits = 1;
  answer.content = Refusal{why};
  Take(lane, std::move(answer));
}

void LaneHub::Drain(LaneId lane) {
  {
    MutexLock lock(&mu_);
    const auto it = writers_.find(lane);
    if (it == writers_.end()) return;  // it has just ended by itself
    it->second->draining = true;
    book_.Drain(lane);
    it->second->wake.NotifyAll();
  }
  PublishCapacity();
}

void LaneHub::StopWriter(LaneId lane) {
  MutexLock lock(&mu_);
  Writer& writer = *writers_.at(lane);
  writer.stopped = true;
  writer.wake.NotifyAll();
}

void LaneHub::Discharge(LaneId lane, const std::string& why) {
  Losses losses;
  {
    MutexLock lock(&mu_);
    losses = book_.Close(lane);
    writers_.erase(lane);
    WakeWriters();
    NoticeIdle();
  }
  PublishCapacity();
  Deliver(std::move(losses), why);
}

absl::Duration LaneHub::Expire() {
  Losses losses;
  std::vector<Refused> refused;
  absl::Duration next;
  {
    MutexLock lock(&mu_);
    refused.swap(refused_);
    losses = book_.Expire(ReadClock().monotonic);
    next = book_.NextDeadline();
    WakeWriters();
    NoticeIdle();
  }
  for (Refused& entry : refused) protocol_->OnUnsent(std::move(entry.parcel), entry.why);
  const bool changed = !losses.unsent.empty() || !losses.lost.empty();
  Deliver(std::move(losses), kOverdue);
  if (changed) PublishCapacity();
  return next;
}

void LaneHub::AwaitWork(absl::Duration until) {
  MutexLock lock(&mu_);
  clock_sleeps_until_ = std::min(until, book_.NextDeadline());
  while (!nudged_) {
    const absl::Duration left = clock_sleeps_until_ - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) break;
    clock_wake_.WaitFor(&mu_, left);
  }
  clock_sleeps_until_ = -absl::InfiniteDuration();
  nudged_ = false;  // here alone, so that a nudge is never lost, whatever the clock is doing
}

void LaneHub::Nudge() {
  MutexLock lock(&mu_);
  nudged_ = true;
  clock_wake_.NotifyAll();
}

void LaneHub::WakeWriters() {
  for (const LaneId lane : book_.TakeWoken()) {
    const auto it = writers_.find(lane);
    if (it != writers_.end()) it->second->wake.NotifyAll();
  }
}

void LaneHub::NoticeIdle() {
  if (book_.InFlight() == 0) idle_.NotifyAll();
}

void LaneHub::Deliver(Losses losses, const std::string& why) {
  for (Parcel& parcel : losses.unsent) protocol_->OnUnsent(std::move(parcel), why);
  for (const uint64_t sequence : losses.lost) protocol_->OnLost(sequence, why);
}

void LaneHub::PublishCapacity() {
  MutexLock order(&capacity_mu_);
  uint32_t slots = 0;
  {
    MutexLock lock(&mu_);
    slots = book_.Capacity();
  }
  if (slots == published_) return;
  published_ = slots;
  protocol_->OnCapacity(slots);
}

}  // namespace xebec::rpc
