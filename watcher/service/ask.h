// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "watcher/service/mailbox.h"

namespace xebec::watcher {

/// How long people wait for the engine.
inline constexpr absl::Duration kLongestAnswer = absl::Seconds(5);

/// Puts `question` to the engine's thread and waits for what it returns; nullopt when the engine
/// does not answer in time, and at once when it has stopped. `question` may run after Ask has
/// returned: it must own what it uses. Not to be called on the engine's thread.
template <typename Answer>
std::optional<Answer> Ask(Mailbox* mailbox,
                          std::function<Answer(const Engine&, const Instant&)> question,
                          absl::Duration patience = kLongestAnswer) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = promise->get_future();
  // The question alone keeps the promise: when it is dropped, the wait is over.
  mailbox->Post(Query([promise = std::move(promise), question = std::move(question)](
                          const Engine& engine, const Instant& now) {
    promise->set_value(question(engine, now));
  }));
  if (future.wait_for(absl::ToChronoMilliseconds(patience)) != std::future_status::ready) return {};
  try {
    return future.get();
  } catch (const std::future_error&) {  // the mailbox is closed: the question was dropped
    return {};
  }
}

}  // namespace xebec::watcher
