// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_pool.h"

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"

namespace xebec::rpc {
namespace {

constexpr char kStopping[] = "the streams are being closed";

}  // namespace

absl::StatusOr<std::unique_ptr<StreamPool>> StreamPool::Start(
    const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol) {
  absl::StatusOr<std::vector<Target>> targets = ParseTargets(options.target);
  if (!targets.ok()) return targets.status();
  return std::unique_ptr<StreamPool>(
      new StreamPool(options, std::move(protocol), *std::move(targets)));
}

StreamPool::StreamPool(const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol,
                       std::vector<Target> targets)
    : options_(options),
      protocol_(std::move(protocol)),
      loop_(options.loop != nullptr ? options.loop : std::make_shared<StreamLoop>()),
      machine_(options, std::random_device{}()) {
  loop_->Add(this);
  AddressWatcher::Options watch;
  watch.targets = std::move(targets);
  watch.resolve = options.resolve;
  watch.interval = options.resolve_interval;
  watch.thread_name = absl::StrCat(options.name, "-dns");
  watch.on_addresses = [this](const std::vector<Address>& addresses) {
    {
      MutexLock lock(&mu_);
      machine_.SetAddresses(addresses);
    }
    Wake();
  };
  watch.on_error = [this](const std::string& message) {
    if (options_.on_note) options_.on_note({true, "Could not resolve", options_.target, message});
  };
  addresses_ = std::make_unique<AddressWatcher>(std::move(watch));
}

StreamPool::~StreamPool() { Stop(absl::ZeroDuration()); }

void StreamPool::Send(Request request, absl::Duration timeout) {
  request.deadline = ReadClock().monotonic + timeout;
  CarryOut(Step(&StreamMachine::Send, std::move(request)));
  Wake();
}

size_t StreamPool::InFlight() const {
  MutexLock lock(&mu_);
  return machine_.InFlight();
}

void StreamPool::Stop(absl::Duration timeout) {
  if (std::exchange(stopped_, true)) return;
  const absl::Duration until = ReadClock().monotonic + timeout;
  {
    MutexLock lock(&mu_);
    stopping_ = true;
    machine_.Close(kStopping);
  }
  Wake();
  {
    MutexLock lock(&mu_);
    for (absl::Duration left = timeout; machine_.InFlight() > 0 && left > absl::ZeroDuration();
         left = until - ReadClock().monotonic) {
      progress_.WaitFor(&mu_, left);
    }
  }
  addresses_.reset();
  {
    MutexLock lock(&mu_);
    machine_.Abort(kStopping);
  }
  Wake();
  {
    MutexLock lock(&mu_);
    while (!machine_.Gone() || !calls_.empty()) progress_.Wait(&mu_);
  }
  loop_->Remove(this);
}

absl::Duration StreamPool::Due() {
  MutexLock lock(&mu_);
  return machine_.due();
}

void StreamPool::Tick() {
  CarryOut(Step(&StreamMachine::Tick));
  NoticeProgress();
}

void StreamPool::Completed(StreamCalls* calls, StreamCalls::Operation operation, bool ok) {
  CarryOut(Feed(calls, operation, ok));
  NoticeProgress();
}

Actions StreamPool::Feed(StreamCalls* calls, StreamCalls::Operation operation, bool ok) {
  switch (operation) {
    case StreamCalls::Operation::kHandshake:
      return FeedHandshake(calls);
    case StreamCalls::Operation::kStart:
      return Step(&StreamMachine::Started, calls->id(), ok);
    case StreamCalls::Operation::kRead:
      return ok ? FeedAnswer(calls) : FeedEnd(calls);
    case StreamCalls::Operation::kWrite:
      return Step(&StreamMachine::Written, calls->id(), ok);
    case StreamCalls::Operation::kFinish:
      return Step(&StreamMachine::Finished, calls->id(), calls->Status());
  }
  return {};
}

Actions StreamPool::FeedHandshake(StreamCalls* calls) {
  absl::StatusOr<std::string> revision = calls->HandshakeResult();
  if (!revision.ok()) return Step(&StreamMachine::Finished, calls->id(), revision.status());
  return Step(&StreamMachine::HandshakeDone, calls->id(), *std::move(revision));
}

Actions StreamPool::FeedAnswer(StreamCalls* calls) {
  Answer answer = calls->Take();
  const PeerVerdict verdict = protocol_->Judge(answer);
  const std::string why =
      verdict == PeerVerdict::kFailed ? protocol_->WhyFailed(answer) : std::string();
  return Step(&StreamMachine::Heard, calls->id(), std::move(answer), verdict, why);
}

Actions StreamPool::FeedEnd(StreamCalls* calls) {
  MutexLock lock(&mu_);
  return machine_.ReadEnded(calls->id());
}

void StreamPool::CarryOut(Actions actions) {
  for (size_t i = 0; i < actions.size(); ++i) {
    Actions more = std::visit([this](auto& action) { return Do(action); }, actions[i]);
    for (Action& action : more) actions.push_back(std::move(action));
  }
}

Actions StreamPool::Do(Connect& action) {
  StreamCalls::Owner* const owner = this;
  auto made = std::make_unique<StreamCalls>(owner, action, options_, *protocol_, loop_.get());
  StreamCalls* const calls = made.get();
  {
    MutexLock lock(&mu_);
    calls_.emplace(action.stream, std::move(made));
  }
  if (calls->StartHandshake()) return {};
  return Step(&StreamMachine::HandshakeDone, action.stream, std::string());
}

Actions StreamPool::Do(OpenCall& action) {
  CallsOf(action.stream)->Open();
  return {};
}

Actions StreamPool::Do(StartRead& action) {
  CallsOf(action.stream)->Read();
  return {};
}

Actions StreamPool::Do(StartWrite& action) {
  const StreamCalls::Begun begun = CallsOf(action.stream)->Write(action);
  if (!begun.too_large.empty()) {
    return Step(&StreamMachine::TooLarge, action.stream, action.request->sequence, begun.too_large);
  }
  if (!begun.result) return {};
  return Step(&StreamMachine::Written, action.stream, *begun.result);
}

Actions StreamPool::Do(EndWrites& action) {
  const StreamCalls::Begun begun = CallsOf(action.stream)->EndWrites();
  if (!begun.result) return {};
  return Step(&StreamMachine::Written, action.stream, *begun.result);
}

Actions StreamPool::Do(CancelCalls& action) {
  CallsOf(action.stream)->Cancel();
  return {};
}

Actions StreamPool::Do(FinishCall& action) {
  CallsOf(action.stream)->Finish();
  return {};
}

Actions StreamPool::Do(Forget& action) {
  std::unique_ptr<StreamCalls> calls;
  MutexLock lock(&mu_);
  calls.swap(calls_.at(action.stream));
  calls_.erase(action.stream);
  return {};
}

Actions StreamPool::Do(DeliverAnswer& action) {
  protocol_->OnAnswer(std::move(action.answer));
  return {};
}

Actions StreamPool::Do(DeliverLosses& action) {
  for (Request& request : action.losses.unsent) protocol_->OnUnsent(std::move(request), action.why);
  for (const uint64_t sequence : action.losses.lost) protocol_->OnLost(sequence, action.why);
  return {};
}

Actions StreamPool::Do(DeliverCredits& action) {
  protocol_->OnCredits(action.credits);
  return {};
}

Actions StreamPool::Do(StreamNote& action) {
  if (options_.on_note) options_.on_note(action);
  return {};
}

StreamCalls* StreamPool::CallsOf(StreamId stream) {
  MutexLock lock(&mu_);
  return calls_.at(stream).get();
}

void StreamPool::Wake() { loop_->WakeBefore(Due()); }

void StreamPool::NoticeProgress() {
  MutexLock lock(&mu_);
  if (stopping_) progress_.NotifyAll();
}

}  // namespace xebec::rpc
