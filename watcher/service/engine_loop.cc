// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/engine_loop.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "common/base/overloaded.h"

namespace xebec::watcher {

EngineLoop::EngineLoop(Engine engine, MessageQueue* queue, OutputSink sink)
    : engine_(std::move(engine)), queue_(queue), sink_(std::move(sink)) {}

void EngineLoop::Run() {
  StepWith(Tick{});
  queue_->Serve(this);
  queue_->CloseAndClear();
}

void EngineLoop::Later(absl::Duration delay, Task task) {
  timers_.Add(ReadClock().monotonic + delay, std::move(task));
}

void EngineLoop::Handle(Message message) {
  if (finished_) return;
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

absl::Duration EngineLoop::EndTurn(absl::Duration heard) {
  if (!finished_) RunDue(heard);
  if (finished_) queue_->Close();
  return std::min(engine_.NextDeadline(), timers_.Next());
}

// Messages that have arrived during this turn are handled in the next one.
void EngineLoop::RunDue(absl::Duration heard) {
  const absl::Duration now = ReadClock().monotonic;
  for (const Task& task : timers_.TakeDue(now)) task();
  if (!finished_ && engine_.NextDeadline() <= now) StepWith(Tick{heard});
}

}  // namespace xebec::watcher
