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

/// The writing side of one server stream. Any thread adds messages; a thread of the writer sends
/// them in the order of arrival. Thread-safe.
template <typename Message>
class StreamWriter {
 public:
  /// `write` sends one message on the writer's thread and returns false if the stream is broken.
  /// When `capacity` messages are waiting, Push waits: a peer that does not read slows down its own
  /// stream.
  StreamWriter(std::function<bool(const Message&)> write, size_t capacity, std::string thread_name)
      : write_(std::move(write)), queue_({.items = capacity}) {
    thread_ = std::thread([this, thread_name = std::move(thread_name)] {
      NameThisThread(thread_name);
      Run();
    });
  }
  ~StreamWriter() { Finish(); }

  /// Adds a message. Returns false, and drops the message, once the stream is broken or finished.
  bool Push(Message message) { return queue_.Push(std::move(message)); }

  /// Sends the waiting messages, then ends the thread. The owner calls it after the last Push.
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
