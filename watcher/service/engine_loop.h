// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "watcher/engine/engine.h"
#include "watcher/service/message_queue.h"
#include "watcher/service/timers.h"

namespace xebec::watcher {

/// Carries out one output of the engine. Runs in a turn of the engine and must not block.
using OutputSink = std::function<void(Output output)>;

/// Owns the engine. In each turn, it takes messages, calls Engine::Step and carries out the
/// outputs. The thread that pushed a message may run the turn (SerialQueue).
class EngineLoop final : private MessageQueue::Consumer {
 public:
  /// `queue` must outlive the loop.
  EngineLoop(Engine engine, MessageQueue* queue, OutputSink sink);

  /// Runs until the engine returns Drained or Quit is called. Blocks; call it on a thread of its
  /// own.
  void Run();

  /// Ends Run after this turn. Used when the drain takes too long. Call it in a turn, as a Task.
  void Quit() { finished_ = true; }

  /// Runs `task` in a turn after `delay`. Call it in a turn.
  void Later(absl::Duration delay, Task task);

 private:
  void Handle(Message message) override;
  absl::Duration EndTurn(absl::Duration heard) override;
  void StepWith(Input input);
  void RunDue(absl::Duration heard);

  Engine engine_;
  MessageQueue* const queue_;
  const OutputSink sink_;
  Timers timers_;
  bool finished_ = false;
};

}  // namespace xebec::watcher
