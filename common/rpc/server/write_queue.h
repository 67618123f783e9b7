// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace xebec::rpc {

/// Decides what a stream sends next, where only one write may be in progress at a time. A value.
template <typename Message>
class WriteQueue {
 public:
  /// One write.
  struct Step {
    std::optional<Message> message;  ///< Nothing if only the end is left.
    bool more = false;               ///< Another message follows when this write completes.
    bool last = false;               ///< The stream ends with this write.
  };

  /// Adds a message; drops it if the queue has an end or is broken.
  void Add(Message message) {
    if (!ended_) waiting_.push_back(std::move(message));
  }

  /// The stream ends after the messages that were added.
  void End() { ended_ = true; }

  /// Drops all messages, and all later ones: nothing can be sent any more.
  void Break() {
    waiting_.clear();
    ended_ = true;
    over_ = true;
  }

  /// Starts the next write. Returns nullopt if there is none, or if one is in progress.
  std::optional<Step> Next() {
    if (busy_ || over_ || (waiting_.empty() && !ended_)) return std::nullopt;
    busy_ = true;
    Step step;
    if (!waiting_.empty()) {
      step.message = std::move(waiting_.front());
      waiting_.pop_front();
    }
    step.more = !waiting_.empty();
    step.last = over_ = ended_ && waiting_.empty();
    return step;
  }

  /// Blocks Next until Complete, for something else that must be sent before.
  void Hold() { busy_ = true; }

  /// The write in progress has completed.
  void Complete() { busy_ = false; }

  size_t waiting() const { return waiting_.size(); }

 private:
  std::deque<Message> waiting_;
  bool busy_ = false;
  bool ended_ = false;
  bool over_ = false;  ///< The last write was started.
};

}  // namespace xebec::rpc
