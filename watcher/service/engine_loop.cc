// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/engine_loop.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "common/base/clock.h"
#include "common/base/overloaded.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kLongestWait = absl::Seconds(60);

}  // namespace

EngineLoop::EngineLoop(Engine engine, MessageQueue* queue, OutputSink sink)
    : engine_(std::move(engine)), queue_(queue), sink_(std::move(sink)) {}

void EngineLoop::Run() {
  StepWith(Tick{});
  while (!finished_) {
    std::deque<Message> messages = queue_->PopAll(UntilNext());
    const absl::Duration heard = ReadClock().monotonic;
    for (Message& message : messages) {
      if (!finished_) Handle(std::move(message));
    }
    RunDue(heard);
  }
  queue_->CloseAndClear();
}

void EngineLoop::Later(absl::Duration delay, Task task) {
  timers_.Add(ReadClock().monotonic + delay, std::move(task));
}

absl::Duration EngineLoop::UntilNext() const {
  const absl::Duration next = std::min(engine_.NextDeadline(), timers_.Next());
  return std::clamp(next - ReadClock().monotonic, absl::ZeroDuration(), kLongestWait);
}

void EngineLoop::Handle(Message message) {
  std::visit(
      Overloaded{[this](Input& input) { StepWith(std::move(input)); },
                 [this](Query& query) { query(engine_, ReadClock()); }, [](Task& task) { task(); }},
      message);
}

void EngineLoop::StepWith(Input input) {
  for (Output& output : engine_.Step(ReadClock(), std::move(input))) {
    if (std::holds_alternative<Drained>(output)) finished_ = true;
    sink_(std::move(output));
  }
}

// Handles the messages that arrived during the last round in the next round.
void EngineLoop::RunDue(absl::Duration heard) {
  const absl::Duration now = ReadClock().monotonic;
  for (const Task& task : timers_.TakeDue(now)) task();
  if (!finished_ && engine_.NextDeadline() <= now) StepWith(Tick{heard});
}

}  // namespace xebec::watcher
