// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "applier/engine/events/event_series.h"

namespace xebec::applier {

/// Events that wait until no plan runs: best effort. Warnings go first. A creation
/// that failed is repeated a few times. Bounded: if the queue is full, the oldest normal event is
/// dropped, otherwise the oldest warning, and counted. A value.
class EventQueue {
 public:
  /// The maximum number of attempts to create an Event.
  static constexpr int kMaxAttempts = 3;
  /// The least time between two attempts.
  static constexpr absl::Duration kRetryDelay = absl::Seconds(10);
  /// An event that has waited for this long is overdue.
  static constexpr absl::Duration kMaxWait = absl::Seconds(10);

  enum class Urgency {
    kCanWait,  ///< Until no plan runs.
    kOverdue,  ///< An event has waited for kMaxWait.
    kCrowded,  ///< The queue is half full.
  };

  explicit EventQueue(EventSource source, size_t capacity = 10000)
      : series_(std::move(source)), capacity_(capacity) {}

  /// Takes the events of a plan that ended.
  void Add(const Envelope& plan, const std::vector<EventFact>& facts, const Instant& now);
  /// Adds the counts and the repeated creations that are due.
  void Tick(const Instant& now);
  /// Removes and returns the next request; nullopt if none waits.
  std::optional<EventRequest> Pop();
  /// Takes the answer to a request that Pop returned.
  void OnAnswer(EventRequest event, const kube::ApiResponse& response, const Instant& now);
  /// Drops all events that wait.
  void Drop();

  size_t size() const { return warnings_.size() + normal_.size() + repeated_.size(); }
  Urgency UrgencyAt(const Instant& now) const;
  /// True if Pop returns a request.
  bool HasNext() const { return !warnings_.empty() || !normal_.empty(); }
  /// Events that were not published, because the queue was full or the API server rejected them.
  uint64_t dropped() const { return dropped_; }

 private:
  void Push(std::optional<EventRequest> event, const Instant& now);
  void MakeRoom();
  void Discard(const EventRequest& event);

  EventSeries series_;
  size_t capacity_;
  std::deque<EventRequest> warnings_, normal_;
  std::multimap<absl::Duration, EventRequest> repeated_;  // by the time of the next attempt
  uint64_t dropped_ = 0;
};

}  // namespace xebec::applier
