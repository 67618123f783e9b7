// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_queue.h"

namespace xebec::applier {

void EventQueue::Push(std::vector<EventRequest> requests) {
  for (EventRequest& request : requests) {
    if (queue_.size() < capacity_) {
      queue_.push_back(std::move(request));
    } else {
      ++dropped_;
      series_.Forget(request.name);
    }
  }
}

void EventQueue::Add(const Envelope& plan, const std::vector<EventFact>& facts,
                     const Instant& now) {
  for (const EventFact& fact : facts) Push(series_.Record(plan, fact, now));
}

void EventQueue::Tick(const Instant& now) { Push(series_.Tick(now)); }

std::optional<EventRequest> EventQueue::Pop() {
  if (queue_.empty()) return std::nullopt;
  EventRequest next = std::move(queue_.front());
  queue_.pop_front();
  return next;
}

void EventQueue::Drop() {
  dropped_ += queue_.size();
  for (const EventRequest& request : queue_) series_.Forget(request.name);
  queue_.clear();
}

void EventQueue::OnAnswer(const std::string& name, const kube::ApiResponse& response) {
  const bool ok = response.error == kube::TransportError::kNone &&
                  ((response.status >= 200 && response.status < 300) || response.status == 409);
  if (ok) return;
  ++dropped_;
  series_.Forget(name);
}

}  // namespace xebec::applier
