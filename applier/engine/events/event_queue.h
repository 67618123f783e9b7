// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "applier/engine/events/event_series.h"

namespace xebec::applier {

/// Events that wait until real writes leave room: best effort. Bounded: when full the newest is
/// dropped and counted. A value.
class EventQueue {
 public:
  explicit EventQueue(EventSource source, size_t capacity = 10000)
      : series_(std::move(source)), capacity_(capacity) {}

  /// Takes the events that a plan earned.
  void Add(const Envelope& plan, const std::vector<EventFact>& facts, const Instant& now);
  /// Adds counts that became due.
  void Tick(const Instant& now);
  /// The next request to send; nullopt when none waits.
  std::optional<EventRequest> Pop();
  /// Answer to the request for the Event `name`.
  void OnAnswer(const std::string& name, const kube::ApiResponse& response);

  /// Nobody will ask for those that wait.
  void Drop();

  size_t size() const { return queue_.size(); }
  /// Events that were not published: the queue was full, or the API server did not take them.
  uint64_t dropped() const { return dropped_; }

 private:
  void Push(std::vector<EventRequest> requests);

  EventSeries series_;
  size_t capacity_;
  std::deque<EventRequest> queue_;
  uint64_t dropped_ = 0;
};

}  // namespace xebec::applier
