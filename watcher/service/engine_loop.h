// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "watcher/engine/engine.h"
#include "watcher/service/message_queue.h"
#include "watcher/service/timers.h"

namespace xebec::watcher {

/// Carries out one output of the engine. Runs on the engine's thread and must not block.
using OutputSink = std::function<void(Output output)>;

/// The loop of the thread that owns the engine: takes messages, calls Engine::Step and carries out
/// its outputs.
class EngineLoop {
 public:
  /// `queue` must outlive the loop.
  EngineLoop(Engine engine, MessageQueue* queue, OutputSink sink);

  /// Runs until the engine returns Drained or Quit is called. Blocks; call it on a thread of its
  /// own.
  void Run();

  /// Ends Run at once. Used when the drain takes too long. Call it on the engine's thread, as a
  /// Task.
  void Quit() { finished_ = true; }

  /// Runs `task` on the engine's thread after `delay`. Call it on the engine's thread.
  void Later(absl::Duration delay, Task task);

 private:
  absl::Duration UntilNext() const;
  void Handle(Message message);
  void StepWith(Input input);
  void RunDue(absl::Duration heard);

  Engine engine_;
  MessageQueue* const queue_;
  const OutputSink sink_;
  Timers timers_;
  bool finished_ = false;
};

}  // namespace xebec::watcher
