// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/base/bounded_queue.h"
#include "common/base/thread.h"

namespace xebec::rpc {

/// The writing side of one server stream. Any thread pushes messages; one thread, which the writer
/// owns, writes them in order of arrival. Thread-safe.
template <typename Message>
class StreamWriter {
 public:
  /// `write` sends one message and returns whether the stream still works; it runs on the writer's
  /// thread. When `capacity` messages wait, Push waits: a peer that does not read slows its own
  /// stream down.
  StreamWriter(std::function<bool(const Message&)> write, size_t capacity, std::string thread_name)
      : write_(std::move(write)), queue_({.items = capacity}) {
    thread_ = std::thread([this, thread_name = std::move(thread_name)] {
      NameThisThread(thread_name);
      Run();
    });
  }
  ~StreamWriter() { Finish(); }

  /// Queues a message. Returns false, and drops the message, once the stream is broken or finished.
  bool Push(Message message) { return queue_.Push(std::move(message)); }

  /// Writes the messages in the queue, then ends the thread. The owner calls it when it has nothing
  /// more to send.
  void Finish() {
    queue_.Close();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Run() {
    while (const std::optional<Message> message = queue_.Pop()) {
      if (!write_(*message)) queue_.CloseAndClear();
    }
  }

  const std::function<bool(const Message&)> write_;
  BoundedQueue<Message> queue_;
  std::thread thread_;
};

}  // namespace xebec::rpc
