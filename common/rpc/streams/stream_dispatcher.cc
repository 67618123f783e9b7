// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_dispatcher.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"

namespace xebec::rpc {
namespace {

constexpr char kOverdue[] = "no answer within the timeout";
constexpr char kOverload[] = "too many requests wait for a free credit";

}  // namespace

StreamDispatcher::StreamDispatcher(const StreamOptions& options,
                                   std::unique_ptr<StreamProtocol> protocol)
    : options_(options),
      protocol_(std::move(protocol)),
      scheduler_(options.max_waiting, options.outliers) {}

void StreamDispatcher::Send(Request request, absl::Duration timeout) {
  request.deadline = ReadClock().monotonic + timeout;
  const absl::Duration deadline = request.deadline;
  MutexLock lock(&mu_);
  std::optional<Request> refused;
  std::string why = closed_.empty() ? kOverload : closed_;
  if (closed_.empty()) {
    refused = scheduler_.Add(std::move(request));
  } else {
    refused = std::move(request);
  }
  WakeWriters();
  if (!refused && deadline >= clock_sleeps_until_) return;
  if (refused) refused_.push_back({*std::move(refused), std::move(why)});
  WakeClock();
}

size_t StreamDispatcher::InFlight() const {
  MutexLock lock(&mu_);
  return scheduler_.InFlight() + refused_.size();
}

void StreamDispatcher::Close(const std::string& why) {
  Losses losses;
  {
    MutexLock lock(&mu_);
    closed_ = why;
    losses = scheduler_.Clear();
    NoticeIdle();
  }
  Deliver(std::move(losses), why);
}

void StreamDispatcher::AwaitIdle(absl::Duration timeout) {
  const absl::Duration until = ReadClock().monotonic + timeout;
  MutexLock lock(&mu_);
  while (scheduler_.InFlight() > 0) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return;
    idle_.WaitFor(&mu_, left);
  }
}

void StreamDispatcher::Add(StreamId stream) {
  MutexLock lock(&mu_);
  writers_.emplace(stream, std::make_unique<Writer>());
}

void StreamDispatcher::Open(StreamId stream, const std::string& revision, const std::string& peer) {
  MutexLock lock(&mu_);
  if (writers_.at(stream)->draining) return;
  scheduler_.Open(stream, revision, peer);
}

absl::Duration StreamDispatcher::HeartbeatInterval(StreamId stream) const {
  return scheduler_.Busy(stream) ? options_.heartbeat_busy : options_.heartbeat_idle;
}

WriterTask StreamDispatcher::NextTask(StreamId stream, absl::Duration last_heartbeat) {
  MutexLock lock(&mu_);
  Writer& writer = *writers_.at(stream);
  while (!writer.stopped) {
    if (std::optional<Request> request = scheduler_.NextToWrite(stream)) return *std::move(request);
    if (writer.draining && !scheduler_.Busy(stream)) return EndWrites{};
    const absl::Duration due = last_heartbeat + HeartbeatInterval(stream);
    const absl::Duration now = ReadClock().monotonic;
    if (now >= due) return WriteHeartbeat{};
    writer.wake.WaitFor(&mu_, due - now);
  }
  return StopWriting{};
}

void StreamDispatcher::Take(StreamId stream, const std::string& peer, Answer answer) {
  bool wanted = false;
  StreamScheduler::PeerChange change = StreamScheduler::PeerChange::kNone;
  const PeerVerdict verdict = protocol_->Judge(answer);
  {
    MutexLock lock(&mu_);
    if (answer.sequence != 0) wanted = scheduler_.Complete(stream, answer.sequence);
    if (verdict != PeerVerdict::kNone) {
      const bool failed = verdict == PeerVerdict::kFailed;
      change = scheduler_.Judge(stream, failed, ReadClock().monotonic);
      if (change != StreamScheduler::PeerChange::kNone) WakeClock();
    }
    scheduler_.Grant(stream, answer.credits);
    WakeWriters();
    NoticeIdle();
    Writer& writer = *writers_.at(stream);
    if (writer.draining && !scheduler_.Busy(stream)) writer.wake.NotifyAll();
  }
  Note(change, peer, answer);
  if (wanted) protocol_->OnAnswer(std::move(answer));
  PublishCredits();
}

void StreamDispatcher::Note(StreamScheduler::PeerChange change, const std::string& peer,
                            const Answer& answer) const {
  if (change == StreamScheduler::PeerChange::kNone || !options_.on_note) return;
  if (change == StreamScheduler::PeerChange::kRestored) {
    return options_.on_note({false, kPeerRestored, peer, ""});
  }
  options_.on_note({true, kPeerEjected, peer, protocol_->WhyFailed(answer)});
}

void StreamDispatcher::RefuseTooLarge(StreamId stream, uint64_t sequence, const std::string& why) {
  Answer answer;
  answer.sequence = sequence;
  answer.credits = 1;
  answer.content = Refusal{why};
  Take(stream, "", std::move(answer));
}

void StreamDispatcher::Drain(StreamId stream) {
  {
    MutexLock lock(&mu_);
    const auto it = writers_.find(stream);
    if (it == writers_.end()) return;  // the stream has just ended by itself
    it->second->draining = true;
    scheduler_.Drain(stream);
    it->second->wake.NotifyAll();
  }
  PublishCredits();
}

void StreamDispatcher::StopWriter(StreamId stream) {
  MutexLock lock(&mu_);
  Writer& writer = *writers_.at(stream);
  writer.stopped = true;
  writer.wake.NotifyAll();
}

void StreamDispatcher::Remove(StreamId stream, const std::string& why) {
  Losses losses;
  {
    MutexLock lock(&mu_);
    losses = scheduler_.Close(stream);
    writers_.erase(stream);
    WakeWriters();
    NoticeIdle();
  }
  PublishCredits();
  Deliver(std::move(losses), why);
}

absl::Duration StreamDispatcher::Expire() {
  Losses losses;
  std::vector<Refused> refused;
  absl::Duration next;
  {
    MutexLock lock(&mu_);
    refused.swap(refused_);
    losses = scheduler_.Expire(ReadClock().monotonic);
    next = scheduler_.NextDeadline();
    WakeWriters();
    NoticeIdle();
  }
  for (Refused& entry : refused) protocol_->OnUnsent(std::move(entry.request), entry.why);
  Deliver(std::move(losses), kOverdue);
  PublishCredits();  // the end of an ejection changes the credits too
  return next;
}

void StreamDispatcher::AwaitWork(absl::Duration until) {
  MutexLock lock(&mu_);
  clock_sleeps_until_ = std::min(until, scheduler_.NextDeadline());
  while (!woken_) {
    const absl::Duration left = clock_sleeps_until_ - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) break;
    clock_wake_.WaitFor(&mu_, left);
  }
  clock_sleeps_until_ = -absl::InfiniteDuration();
  woken_ = false;  // reset only here, so that no wake-up is lost
}

void StreamDispatcher::Wake() {
  MutexLock lock(&mu_);
  WakeClock();
}

void StreamDispatcher::WakeClock() {
  woken_ = true;
  clock_wake_.NotifyAll();
}

void StreamDispatcher::WakeWriters() {
  for (const StreamId stream : scheduler_.TakeWoken()) {
    const auto it = writers_.find(stream);
    if (it != writers_.end()) it->second->wake.NotifyAll();
  }
}

void StreamDispatcher::NoticeIdle() {
  if (scheduler_.InFlight() == 0) idle_.NotifyAll();
}

void StreamDispatcher::Deliver(Losses losses, const std::string& why) {
  for (Request& request : losses.unsent) protocol_->OnUnsent(std::move(request), why);
  for (const uint64_t sequence : losses.lost) protocol_->OnLost(sequence, why);
}

void StreamDispatcher::PublishCredits() {
  MutexLock order(&credits_mu_);
  uint32_t credits = 0;
  {
    MutexLock lock(&mu_);
    credits = scheduler_.TotalCredits();
  }
  if (credits == published_) return;
  published_ = credits;
  protocol_->OnCredits(credits);
}

}  // namespace xebec::rpc
