// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_scheduler.h"

#include <algorithm>
#include <utility>

namespace xebec::rpc {

std::optional<Request> StreamScheduler::Add(Request request) {
  Dispatch();
  if (waiting_.size() >= max_waiting_) return request;
  if (!known_.insert(request.sequence).second) return request;
  waiting_.push_back(std::move(request));
  Dispatch();
  return std::nullopt;
}

void StreamScheduler::Open(StreamId stream, const std::string& revision, const std::string& peer) {
  streams_[stream].revision = revision;
  streams_[stream].peer = peer;
}

void StreamScheduler::Grant(StreamId stream, uint32_t credits) {
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return;
  constexpr uint32_t kMost = 1u << 20;
  it->second.credits = std::min(kMost, it->second.credits + std::min(kMost, credits));
  Dispatch();
}

void StreamScheduler::Drain(StreamId stream) {
  const auto it = streams_.find(stream);
  if (it != streams_.end()) it->second.draining = true;
}

Losses StreamScheduler::Close(StreamId stream) {
  Losses losses;
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return losses;
  for (Request& request : it->second.queue) {
    known_.erase(request.sequence);
    losses.unsent.push_back(std::move(request));
  }
  for (const auto& [sequence, deadline] : it->second.sent) {
    known_.erase(sequence);
    losses.lost.push_back(sequence);
  }
  streams_.erase(it);
  woken_.erase(stream);
  Dispatch();
  return losses;
}

std::optional<Request> StreamScheduler::NextToWrite(StreamId stream) {
  const auto it = streams_.find(stream);
  if (it == streams_.end() || it->second.queue.empty()) return std::nullopt;
  Request request = std::move(it->second.queue.front());
  it->second.queue.pop_front();
  it->second.sent.emplace(request.sequence, request.deadline);
  return request;
}

bool StreamScheduler::HasNextToWrite(StreamId stream) const {
  const auto it = streams_.find(stream);
  return it != streams_.end() && !it->second.queue.empty();
}

bool StreamScheduler::Complete(StreamId stream, uint64_t sequence) {
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return false;
  it->second.overdue.erase(sequence);
  if (it->second.sent.erase(sequence) == 0) return false;
  known_.erase(sequence);
  return true;
}

StreamScheduler::PeerChange StreamScheduler::Judge(StreamId stream, bool failed,
                                                   absl::Duration now) {
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return PeerChange::kNone;
  const std::string peer = it->second.peer;
  const PeerChange change = failed ? outliers_.OnFailure(peer, HealthyPeerBeside(peer), now)
                                   : outliers_.OnSuccess(peer, now);
  Dispatch();
  return change;
}

bool StreamScheduler::Busy(StreamId stream) const {
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return false;
  return !it->second.queue.empty() || !it->second.sent.empty() || !it->second.overdue.empty();
}

void StreamScheduler::ExpireWaiting(std::deque<Request>* queue, absl::Duration now, uint32_t* freed,
                                    Losses* out) {
  std::deque<Request> kept;
  for (Request& request : *queue) {
    if (request.deadline > now) {
      kept.push_back(std::move(request));
      continue;
    }
    ++*freed;
    known_.erase(request.sequence);
    out->unsent.push_back(std::move(request));
  }
  *queue = std::move(kept);
}

void StreamScheduler::ExpireSent(Stream* stream, absl::Duration now, Losses* out) {
  for (auto it = stream->sent.begin(); it != stream->sent.end();) {
    if (it->second > now) {
      ++it;
      continue;
    }
    known_.erase(it->first);
    stream->overdue.insert(it->first);
    out->lost.push_back(it->first);
    it = stream->sent.erase(it);
  }
}

Losses StreamScheduler::Expire(absl::Duration now) {
  Losses losses;
  if (NextDeadline() > now) return losses;
  outliers_.Advance(now);
  uint32_t unused = 0;
  ExpireWaiting(&waiting_, now, &unused, &losses);
  for (auto& [id, stream] : streams_) {
    ExpireWaiting(&stream.queue, now, &stream.credits, &losses);
    ExpireSent(&stream, now, &losses);
  }
  Dispatch();
  return losses;
}

Losses StreamScheduler::Clear() {
  Losses losses;
  for (Request& request : waiting_) {
    known_.erase(request.sequence);
    losses.unsent.push_back(std::move(request));
  }
  waiting_.clear();
  return losses;
}

absl::Duration StreamScheduler::NextDeadline() const {
  absl::Duration next = outliers_.NextChange();
  for (const Request& request : waiting_) next = std::min(next, request.deadline);
  for (const auto& [id, stream] : streams_) {
    for (const Request& request : stream.queue) next = std::min(next, request.deadline);
    for (const auto& [sequence, deadline] : stream.sent) next = std::min(next, deadline);
  }
  return next;
}

uint32_t StreamScheduler::TotalCredits() const {
  const bool any_peer_usable = AnyPeerUsable();
  size_t credits = 0;
  for (const auto& [id, stream] : streams_) {
    credits += stream.queue.size() + stream.sent.size() + FreeCredits(stream, any_peer_usable);
  }
  return static_cast<uint32_t>(credits);
}

std::vector<StreamId> StreamScheduler::TakeWoken() {
  std::vector<StreamId> woken(woken_.begin(), woken_.end());
  woken_.clear();
  return woken;
}

void StreamScheduler::Dispatch() {
  while (!waiting_.empty()) {
    Stream* stream = Choose(waiting_.front());
    if (stream == nullptr) return;
    --stream->credits;
    stream->queue.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

bool StreamScheduler::Connected(const std::string& revision) const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    return !entry.second.draining && entry.second.revision == revision;
  });
}

bool StreamScheduler::HealthyPeerBeside(const std::string& peer) const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    const Stream& stream = entry.second;
    return !stream.draining && stream.peer != peer &&
           outliers_.StateOf(stream.peer) == OutlierDetector::State::kHealthy;
  });
}

/// Returns false if all connected peers are ejected. Ejections do not count then.
bool StreamScheduler::AnyPeerUsable() const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    return !entry.second.draining &&
           outliers_.StateOf(entry.second.peer) != OutlierDetector::State::kEjected;
  });
}

size_t StreamScheduler::OutstandingOf(const std::string& peer) const {
  size_t outstanding = 0;
  for (const auto& [id, stream] : streams_) {
    if (stream.peer == peer) {
      outstanding += stream.queue.size() + stream.sent.size() + stream.overdue.size();
    }
  }
  return outstanding;
}

/// Returns the number of requests that the stream may get now.
uint32_t StreamScheduler::FreeCredits(const Stream& stream, bool any_peer_usable) const {
  if (stream.draining || stream.credits == 0) return 0;
  switch (outliers_.StateOf(stream.peer)) {
    case OutlierDetector::State::kHealthy:
      return stream.credits;
    case OutlierDetector::State::kEjected:
      return any_peer_usable ? 0 : stream.credits;
    case OutlierDetector::State::kProbed:
      return OutstandingOf(stream.peer) == 0 ? 1 : 0;
  }
  return 0;
}

/// Returns the stream with the fewest requests in flight. If several have equally few, returns the
/// one that was not chosen for the longest time; otherwise the first of several fast peers would do
/// all the work.
StreamScheduler::Stream* StreamScheduler::Choose(const Request& request) {
  const bool any = request.revision.empty() || !Connected(request.revision);
  const bool any_peer_usable = AnyPeerUsable();
  std::pair<const StreamId, Stream>* best = nullptr;
  for (auto& entry : streams_) {
    Stream& stream = entry.second;
    if (FreeCredits(stream, any_peer_usable) == 0) continue;
    if (!any && stream.revision != request.revision) continue;
    const auto rank = [](const Stream& of) { return std::pair(of.load(), of.last_chosen); };
    if (best == nullptr || rank(stream) < rank(best->second)) best = &entry;
  }
  if (best == nullptr) return nullptr;
  best->second.last_chosen = ++choices_;
  woken_.insert(best->first);
  return &best->second;
}

}  // namespace xebec::rpc
