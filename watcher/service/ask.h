// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "watcher/service/message_queue.h"

namespace xebec::watcher {

/// The longest time that a caller waits for the engine.
inline constexpr absl::Duration kLongestAnswer = absl::Seconds(5);

/// Runs `question` in a turn of the engine and returns its answer. Returns nullopt if the engine
/// does not answer within `timeout`, and at once if the engine has stopped. `question` may run
/// after Ask has returned, so it must own everything that it uses. The query enters the queue even
/// if the queue is full; the number of calling threads limits the number of queries. Must not be
/// called in a turn of the engine.
template <typename Answer>
std::optional<Answer> Ask(MessageQueue* queue,
                          std::function<Answer(const Engine&, const Instant&)> question,
                          absl::Duration timeout = kLongestAnswer) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = promise->get_future();
  // Only the question owns the promise: if the queue drops it, the wait ends.
  queue->PushNow(Query([promise = std::move(promise), question = std::move(question)](
                           const Engine& engine, const Instant& now) {
    promise->set_value(question(engine, now));
  }));
  if (future.wait_for(absl::ToChronoMilliseconds(timeout)) != std::future_status::ready) return {};
  try {
    return future.get();
  } catch (const std::future_error&) {  // the queue is closed and dropped the question
    return {};
  }
}

}  // namespace xebec::watcher
