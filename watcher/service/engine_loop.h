// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "watcher/engine/engine.h"
#include "watcher/service/message_queue.h"
#include "watcher/service/timers.h"

namespace xebec::watcher {

/// Carries out one output of the engine; on the engine's thread, without blocking.
using OutputSink = std::function<void(Output output)>;

/// The thread that owns the engine: takes messages, steps, carries out what comes back.
class EngineLoop {
 public:
  /// `queue` outlives the loop.
  EngineLoop(Engine engine, MessageQueue* queue, OutputSink sink);

  /// Runs until the engine says Drained or Quit is called. Blocks; call it on its own thread.
  void Run();

  /// Ends Run at once, for the drain that took too long; on the engine's thread (as a Task).
  void Quit() { finished_ = true; }

  /// Posts `task` to the engine's thread after `delay`; on the engine's thread.
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
