// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <variant>

#include "common/base/clock.h"
#include "common/base/serial_queue.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// A question to the engine. Runs in a turn of the engine, between two inputs.
using Query = std::function<void(const Engine& engine, const Instant& now)>;
/// A task of the service that runs in a turn of the engine.
using Task = std::function<void()>;

/// A message to the engine.
using Message = std::variant<Input, Query, Task>;

/// Returns the estimated size of a message in memory, in bytes, including the JSON of its objects.
size_t BytesOf(const Message& message);

/// The queue of the engine, in order of arrival. When it is full, producers wait: this slows down
/// the API server and the peers, and no message is dropped. Turns of the engine use PushNow.
class MessageQueue : public SerialQueue<Message> {
 public:
  explicit MessageQueue(QueueLimits limits) : SerialQueue(limits, &watcher::BytesOf) {}
};

}  // namespace xebec::watcher
