// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_queue.h"

#include <algorithm>
#include <utility>

namespace xebec::applier {
namespace {

/// The same request may succeed later.
bool IsTransient(const kube::ApiResponse& response) {
  return response.error != kube::TransportError::kNone || response.status == 429 ||
         response.status >= 500;
}

/// An answer of which EventSeries knows what follows.
bool IsUnderstood(const EventRequest& event, const kube::ApiResponse& response) {
  const bool ok = response.error == kube::TransportError::kNone && response.status < 300;
  return ok || response.status == 409 ||
         (response.status == 404 && event.kind != EventRequest::Kind::kCreate);
}

}  // namespace

void EventQueue::Discard(const EventRequest& event) {
  ++dropped_;
  series_.Forget(event.name);
}

void EventQueue::MakeRoom() {
  if (size() < capacity_) return;
  std::deque<EventRequest>& from = normal_.empty() ? warnings_ : normal_;
  if (from.empty()) {
    Discard(repeated_.begin()->second);
    repeated_.erase(repeated_.begin());
    return;
  }
  Discard(from.front());
  from.pop_front();
}

void EventQueue::Push(std::optional<EventRequest> event, const Instant& now) {
  if (!event) return;
  MakeRoom();
  event->waits_since = now.monotonic;
  (event->warning ? warnings_ : normal_).push_back(*std::move(event));
}

void EventQueue::Add(const Envelope& plan, const std::vector<EventFact>& facts,
                     const Instant& now) {
  for (const EventFact& fact : facts) Push(series_.Record(plan, fact, now), now);
}

void EventQueue::Tick(const Instant& now) {
  while (!repeated_.empty() && repeated_.begin()->first <= now.monotonic) {
    EventRequest event = std::move(repeated_.begin()->second);
    repeated_.erase(repeated_.begin());
    Push(std::move(event), now);
  }
  for (EventRequest& event : series_.Tick(now)) Push(std::move(event), now);
}

EventQueue::Urgency EventQueue::UrgencyAt(const Instant& now) const {
  if (size() * 2 >= capacity_) return Urgency::kCrowded;
  for (const std::deque<EventRequest>* waiting : {&warnings_, &normal_}) {
    if (waiting->empty()) continue;
    if (now.monotonic - waiting->front().waits_since >= kMaxWait) return Urgency::kOverdue;
  }
  return Urgency::kCanWait;
}

std::optional<EventRequest> EventQueue::Pop() {
  std::deque<EventRequest>& from = warnings_.empty() ? normal_ : warnings_;
  if (from.empty()) return std::nullopt;
  EventRequest next = std::move(from.front());
  from.pop_front();
  return next;
}

void EventQueue::Drop() {
  while (std::optional<EventRequest> event = Pop()) Discard(*event);
  for (const auto& [due, event] : std::exchange(repeated_, {})) Discard(event);
}

void EventQueue::OnAnswer(EventRequest event, const kube::ApiResponse& response,
                          const Instant& now) {
  if (IsUnderstood(event, response)) return Push(series_.OnAnswer(event, response, now), now);
  if (!IsTransient(response)) return Discard(event);
  if (event.kind != EventRequest::Kind::kCreate) {
    return Push(series_.OnAnswer(event, response, now), now);
  }
  if (++event.attempts >= kMaxAttempts) return Discard(event);
  const absl::Duration wait =
      std::max(kRetryDelay, response.retry_after.value_or(absl::ZeroDuration()));
  repeated_.emplace(now.monotonic + wait, std::move(event));
}

}  // namespace xebec::applier
