// SPDX-License-Identifier: Apache-2.0
#include "applier/service/dispatch_loop.h"

#include <future>
#include <memory>
#include <utility>

#include "applier/service/random_bytes.h"
#include "common/base/clock.h"
#include "common/base/thread.h"

namespace xebec::applier {
namespace {

constexpr absl::Duration kTick = absl::Seconds(1);
constexpr size_t kSeedBytes = 32;
constexpr size_t kQueue = 4096;

bool NeedsRandomness(const Plan& plan) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& op : stage.operations) {
      if (std::holds_alternative<EnsureSecret>(op.action)) return true;
    }
  }
  return false;
}

std::string SeedFor(const Plan& plan) {
  return NeedsRandomness(plan) ? RandomBytes(kSeedBytes) : "";
}

}  // namespace

DispatchLoop::DispatchLoop(DispatcherOptions options, Sender send, Observer observer)
    : send_(std::move(send)),
      observer_(std::move(observer)),
      queue_({.items = kQueue}),
      dispatcher_(std::move(options)) {
  figures_.problem = dispatcher_.health().Problem(ReadClock());
  thread_ = std::thread([this] {
    NameThisThread("dispatch");
    queue_.Serve(this);
    for (const Message& message : queue_.PopAll(absl::ZeroDuration())) message();
  });
}

DispatchLoop::~DispatchLoop() { Stop(); }

void DispatchLoop::Stop() {
  queue_.Close();
  if (thread_.joinable()) thread_.join();
}

absl::Duration DispatchLoop::EndTurn(absl::Duration) {
  const Instant now = ReadClock();
  if (now.monotonic >= next_tick_) {
    next_tick_ = now.monotonic + kTick;
    Carry(dispatcher_.Tick(now));
    PublishClasses();
  }
  Publish();
  return next_tick_;
}

StreamKey DispatchLoop::Open(StreamSink sink) {
  const StreamKey stream = next_key_++;
  queue_.PushForServer([this, stream, sink = std::move(sink)] {
    sinks_[stream] = sink;
    Carry(dispatcher_.Open(stream));
    sink.on_open();
  });
  return stream;
}

/// Runs `message` in a turn and waits for it; returns too when the loop has ended.
void DispatchLoop::OnLoop(Message message) {
  auto done = std::make_shared<std::promise<void>>();
  const std::future<void> ran = done->get_future();
  queue_.PushNow([message = std::move(message), done] {
    message();
    done->set_value();
  });
  done.reset();  // a message that was dropped breaks the promise, which ends the wait
  ran.wait();
}

void DispatchLoop::Close(StreamKey stream) {
  queue_.PushNow([this, stream] {
    sinks_.erase(stream);
    Carry(dispatcher_.Close(stream, ReadClock()));
  });
}

void DispatchLoop::Submit(StreamKey stream, uint64_t ticket, Plan plan) {
  auto shared = std::make_shared<Plan>(std::move(plan));
  queue_.PushNow([this, stream, ticket, shared, seed = SeedFor(*shared)] {
    Carry(dispatcher_.Submit(stream, ticket, std::move(*shared), seed, ReadClock()));
  });
}

void DispatchLoop::Drain(absl::Duration timeout) {
  const absl::Duration begin = ReadClock().monotonic;
  queue_.PushNow([this] { dispatcher_.Drain(); });
  AwaitIdle(begin + timeout * 2 / 3);
  queue_.PushNow([this] { Carry(dispatcher_.AbortAll(ReadClock())); });
  AwaitIdle(begin + timeout);
}

void DispatchLoop::AwaitIdle(absl::Duration until) {
  OnLoop([this] { Publish(); });
  MutexLock lock(&mu_);
  while (!figures_.idle) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return;
    published_.WaitFor(&mu_, left);
  }
}

void DispatchLoop::Carry(DispatcherOutputs outputs) {
  for (DispatcherOutput& output : outputs) {
    if (auto* request = std::get_if<SendRequest>(&output)) {
      SendOut(std::move(*request));
    } else if (auto* ended = std::get_if<PlanEnded>(&output)) {
      TellSink(*ended);
    } else {
      const auto& grant = std::get<GrantCredits>(output);
      const auto sink = sinks_.find(grant.stream);
      if (sink != sinks_.end()) sink->second.on_credits(grant.count);
    }
  }
}

void DispatchLoop::SendOut(SendRequest request) {
  const absl::Duration sent = ReadClock().monotonic;
  send_(std::move(request.request), [this, id = request.id, sent](kube::ApiResponse response) {
    const absl::Duration latency = ReadClock().monotonic - sent;
    auto shared = std::make_shared<kube::ApiResponse>(std::move(response));
    queue_.PushNow([this, id, latency, shared] {
      Carry(dispatcher_.OnAnswer(id, *shared, latency, ReadClock()));
    });
  });
}

void DispatchLoop::TellSink(const PlanEnded& ended) {
  observer_(ended);
  const auto sink = sinks_.find(ended.stream);
  if (sink != sinks_.end()) sink->second.on_ended(ended);
}

void DispatchLoop::Publish() {
  const RequestBudget& budget = dispatcher_.budget();
  const Instant now = ReadClock();
  MutexLock lock(&mu_);
  figures_ = {.plans = dispatcher_.plans(),
              .requests_in_flight = budget.in_flight(),
              .requests_allowed = budget.allowed(),
              .budget_at_minimum = budget.held_down(now.monotonic),
              .lease_errors = dispatcher_.lease_errors(),
              .clock_skew = dispatcher_.health().ClockSkew(now),
              .waiting_events = dispatcher_.waiting_events(),
              .dropped_events = dispatcher_.dropped_events(),
              .idle = dispatcher_.Idle(),
              .problem = dispatcher_.health().Problem(now)};
  if (figures_.idle) published_.NotifyAll();
}

/// Apart from Publish, which runs after every answer.
void DispatchLoop::PublishClasses() {
  MutexLock lock(&mu_);
  classes_ = dispatcher_.budget().ListClasses(ReadClock().monotonic);
}

LoopFigures DispatchLoop::figures() const {
  MutexLock lock(&mu_);
  return figures_;
}

std::vector<RequestBudget::Figures> DispatchLoop::classes() const {
  MutexLock lock(&mu_);
  return classes_;
}

std::string DispatchLoop::Problem() const {
  MutexLock lock(&mu_);
  return figures_.problem;
}

}  // namespace xebec::applier
