// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <variant>

#include "common/base/bounded_queue.h"
#include "common/base/clock.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// A question to the engine. Runs on the engine's thread between two inputs.
using Query = std::function<void(const Engine& engine, const Instant& now)>;
/// A task of the service that runs on the engine's thread.
using Task = std::function<void()>;

/// A message to the engine's thread.
using Message = std::variant<Input, Query, Task>;

/// Returns the estimated size of a message in memory, in bytes, including the JSON of its objects.
size_t BytesOf(const Message& message);

/// The queue of the engine's thread, in order of arrival. When it is full, producers wait: this
/// slows down the API server and the peers, and no message is dropped. The engine's thread itself
/// uses PushNow.
class MessageQueue : public BoundedQueue<Message> {
 public:
  explicit MessageQueue(QueueLimits limits) : BoundedQueue(limits, &watcher::BytesOf) {}
};

}  // namespace xebec::watcher
