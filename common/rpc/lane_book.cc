// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/lane_book.h"

#include <algorithm>
#include <utility>

namespace xebec::rpc {

std::optional<Parcel> LaneBook::Add(Parcel parcel) {
  Dispatch();
  if (waiting_.size() >= max_waiting_) return parcel;
  if (!known_.insert(parcel.sequence).second) return parcel;
  waiting_.push_back(std::move(parcel));
  Dispatch();
  return std::nullopt;
}

void LaneBook::Open(LaneId lane, const std::string& revision) { lanes_[lane].revision = revision; }

void LaneBook::Grant(LaneId lane, uint32_t credits) {
  const auto it = lanes_.find(lane);
  if (it == lanes_.end()) return;
  constexpr uint32_t kMost = 1u << 20;
  it->second.credits = std::min(kMost, it->second.credits + std::min(kMost, credits));
  Dispatch();
}

void LaneBook::Drain(LaneId lane) {
  const auto it = lanes_.find(lane);
  if (it != lanes_.end()) it->second.draining = true;
}

Losses LaneBook::Close(LaneId lane) {
  Losses losses;
  const auto it = lanes_.find(lane);
  if (it == lanes_.end()) return losses;
  for (Parcel& parcel : it->second.queue) {
    known_.erase(parcel.sequence);
    losses.unsent.push_back(std::move(parcel));
  }
  for (const auto& [sequence, deadline] : it->second.sent) {
    known_.erase(sequence);
    losses.lost.push_back(sequence);
  }
  lanes_.erase(it);
  woken_.erase(lane);
  Dispatch();
  return losses;
}

std::optional<Parcel> LaneBook::NextToWrite(LaneId lane) {
  const auto it = lanes_.find(lane);
  if (it == lanes_.end() || it->second.queue.empty()) return std::nullopt;
  Parcel parcel = std::move(it->second.queue.front());
  it->second.queue.pop_front();
  it->second.sent.emplace(parcel.sequence, parcel.deadline);
  return parcel;
}

bool LaneBook::Settle(LaneId lane, uint64_t sequence) {
  const auto it = lanes_.find(lane);
  if (it == lanes_.end()) return false;
  it->second.overdue.erase(sequence);
  if (it->second.sent.erase(sequence) == 0) return false;
  known_.erase(sequence);
  return true;
}

bool LaneBook::Busy(LaneId lane) const {
  const auto it = lanes_.find(lane);
  if (it == lanes_.end()) return false;
  return !it->second.queue.empty() || !it->second.sent.empty() || !it->second.overdue.empty();
}

void LaneBook::ExpireWaiting(std::deque<Parcel>* queue, absl::Duration now, uint32_t* freed,
                             Losses* out) {
  std::deque<Parcel> kept;
  for (Parcel& parcel : *queue) {
    if (parcel.deadline > now) {
      kept.push_back(std::move(parcel));
      continue;
    }
    ++*freed;
    known_.erase(parcel.sequence);
    out->unsent.push_back(std::move(parcel));
  }
  *queue = std::move(kept);
}

void LaneBook::ExpireSent(Lane* lane, absl::Duration now, Losses* out) {
  for (auto it = lane->sent.begin(); it != lane->sent.end();) {
    if (it->second > now) {
      ++it;
      continue;
    }
    known_.erase(it->first);
    lane->overdue.insert(it->first);
    out->lost.push_back(it->first);
    it = lane->sent.erase(it);
  }
}

Losses LaneBook::Expire(absl::Duration now) {
  Losses losses;
  if (NextDeadline() > now) return losses;
  uint32_t unused = 0;
  ExpireWaiting(&waiting_, now, &unused, &losses);
  for (auto& [id, lane] : lanes_) {
    ExpireWaiting(&lane.queue, now, &lane.credits, &losses);
    ExpireSent(&lane, now, &losses);
  }
  Dispatch();
  return losses;
}

Losses LaneBook::Clear() {
  Losses losses;
  for (Parcel& parcel : waiting_) {
    known_.erase(parcel.sequence);
    losses.unsent.push_back(std::move(parcel));
  }
  waiting_.clear();
  return losses;
}

absl::Duration LaneBook::NextDeadline() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const Parcel& parcel : waiting_) next = std::min(next, parcel.deadline);
  for (const auto& [id, lane] : lanes_) {
    for (const Parcel& parcel : lane.queue) next = std::min(next, parcel.deadline);
    for (const auto& [sequence, deadline] : lane.sent) next = std::min(next, deadline);
  }
  return next;
}

uint32_t LaneBook::Capacity() const {
  size_t slots = 0;
  for (const auto& [id, lane] : lanes_) {
    slots += lane.queue.size() + lane.sent.size() + (lane.draining ? 0 : lane.credits);
  }
  return static_cast<uint32_t>(slots);
}

std::vector<LaneId> LaneBook::TakeWoken() {
  std::vector<LaneId> woken(woken_.begin(), woken_.end());
  woken_.clear();
  return woken;
}

void LaneBook::Dispatch() {
  while (!waiting_.empty()) {
    Lane* lane = Choose(waiting_.front());
    if (lane == nullptr) return;
    --lane->credits;
    lane->queue.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

bool LaneBook::Connected(const std::string& revision) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& entry) {
    return !entry.second.draining && entry.second.revision == revision;
  });
}

/// The lane with most free credits; of equals, the one that has waited longest for its turn: quick
/// peers are nearly always equal, and the first would do all the work.
LaneBook::Lane* LaneBook::Choose(const Parcel& parcel) {
  const bool any = parcel.revision.empty() || !Connected(parcel.revision);
  std::pair<const LaneId, Lane>* best = nullptr;
  for (auto& entry : lanes_) {
    Lane& lane = entry.second;
    if (lane.draining || lane.credits == 0) continue;
    if (!any && lane.revision != parcel.revision) continue;
    const auto rank = [](const Lane& of) { return std::pair(of.credits, ~of.last_chosen); };
    if (best == nullptr || rank(lane) > rank(best->second)) best = &entry;
  }
  if (best == nullptr) return nullptr;
  best->second.last_chosen = ++choices_;
  woken_.insert(best->first);
  return &best->second;
}

}  // namespace xebec::rpc
