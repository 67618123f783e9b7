// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/engine_loop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/clock.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kLongestWait = absl::Seconds(60);

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace

EngineLoop::EngineLoop(Engine engine, Mailbox* mailbox, OutputSink sink)
    : engine_(std::move(engine)), mailbox_(mailbox), sink_(std::move(sink)) {}

void EngineLoop::Run() {
  StepWith(Tick{});
  while (!finished_) {
    std::vector<Mail> mails = mailbox_->Take(UntilNext());
    const absl::Duration heard = ReadClock().monotonic;
    for (Mail& mail : mails) {
      if (!finished_) Handle(std::move(mail));
    }
    RunDue(heard);
  }
  mailbox_->Close();
}

void EngineLoop::Later(absl::Duration delay, Task task) {
  timers_.Add(ReadClock().monotonic + delay, std::move(task));
}

absl::Duration EngineLoop::UntilNext() const {
  const absl::Duration next = std::min(engine_.NextDeadline(), timers_.Next());
  return std::clamp(next - ReadClock().monotonic, absl::ZeroDuration(), kLongestWait);
}

void EngineLoop::Handle(Mail mail) {
  std::visit(
      Overloaded{[this](Input& input) { StepWith(std::move(input)); },
                 [this](Query& query) { query(engine_, ReadClock()); }, [](Task& task) { task(); }},
      mail);
}

void EngineLoop::StepWith(Input input) {
  for (Output& output : engine_.Step(ReadClock(), std::move(input))) {
    if (std::holds_alternative<Drained>(output)) finished_ = true;
    sink_(std::move(output));
  }
}

// What arrived while the last inputs were handled is handled first, in the next round.
void EngineLoop::RunDue(absl::Duration heard) {
  const absl::Duration now = ReadClock().monotonic;
  for (const Task& task : timers_.TakeDue(now)) task();
  if (!finished_ && engine_.NextDeadline() <= now) StepWith(Tick{heard});
}

}  // namespace xebec::watcher
