// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/rpc/streams/outlier_detector.h"
#include "common/rpc/streams/request.h"

namespace xebec::rpc {

/// Identifies one connection of one stream; never reused.
using StreamId = uint64_t;

/// Requests that no peer will answer.
struct Losses {
  std::vector<Request> unsent;  ///< Certainly not written to a stream.
  std::vector<uint64_t> lost;   ///< Written; whether the peer executed them is unknown.
};

/// Assigns requests to streams, without threads, clocks or sockets. Every request that Add accepts
/// leaves exactly once: through Complete, Expire, Close or Clear.
class StreamScheduler {
 public:
  using PeerChange = OutlierDetector::Change;

  /// `max_waiting` limits the requests that no stream has taken yet.
  explicit StreamScheduler(size_t max_waiting, const OutlierOptions& outliers = {})
      : max_waiting_(max_waiting), outliers_(outliers) {}

  /// Accepts a request, or returns it if too many wait or its sequence is already in flight.
  std::optional<Request> Add(Request request);

  /// Adds a stream that is connected to a peer of this revision. It has no credits yet. Streams to
  /// the same `peer` are ejected together.
  void Open(StreamId stream, const std::string& revision, const std::string& peer = "");
  /// Adds credits to a stream. Ignored for streams that are not open.
  void Grant(StreamId stream, uint32_t credits);
  /// Assigns no further requests to the stream. It finishes those that it has.
  void Drain(StreamId stream);
  /// Removes a stream and returns its requests.
  Losses Close(StreamId stream);

  /// Returns the next request that the stream must write.
  std::optional<Request> NextToWrite(StreamId stream);
  bool HasNextToWrite(StreamId stream) const;
  /// Records an answer of the peer. Returns true if the request has not expired.
  bool Complete(StreamId stream, uint64_t sequence);
  /// Records whether an answer shows that the peer of the stream cannot do its work (`failed`).
  /// After several failures in a row the peer is ejected if another peer is healthy: it gets no
  /// requests for a while, then one at a time until one succeeds.
  PeerChange Judge(StreamId stream, bool failed, absl::Duration now);
  /// Returns true if a request is waiting to be written to the stream or has no answer yet.
  bool Busy(StreamId stream) const;

  /// Removes the requests that are overdue at `now`, and ends ejections that are over. A request
  /// that was written keeps its credit until the peer answers.
  Losses Expire(absl::Duration now);
  /// Removes and returns the requests that wait for a stream.
  Losses Clear();
  /// Returns the earliest deadline or end of an ejection; InfiniteDuration if there is none.
  absl::Duration NextDeadline() const;

  /// Returns the requests in flight plus the free credits of all streams, without the free credits
  /// of ejected peers.
  uint32_t TotalCredits() const;
  /// Returns the number of requests without an answer.
  size_t InFlight() const { return known_.size(); }
  /// Returns the streams that got a request since the last call.
  std::vector<StreamId> TakeWoken();

 private:
  struct Stream {
    std::string revision;
    std::string peer;
    uint32_t credits = 0;
    /// The value of `choices_` when the stream was last chosen; 0 for never.
    uint64_t last_chosen = 0;
    bool draining = false;
    std::deque<Request> queue;                ///< Assigned, in order of arrival.
    std::map<uint64_t, absl::Duration> sent;  ///< Written and not expired, with their deadlines.
    std::set<uint64_t> overdue;               ///< Written and expired.
    /// Requests that the peer has not answered yet.
    size_t load() const { return queue.size() + sent.size() + overdue.size(); }
  };

  void Dispatch();
  Stream* Choose(const Request& request);
  bool Connected(const std::string& revision) const;
  bool HealthyPeerBeside(const std::string& peer) const;
  bool AnyPeerUsable() const;
  size_t OutstandingOf(const std::string& peer) const;
  uint32_t FreeCredits(const Stream& stream, bool any_peer_usable) const;
  void ExpireWaiting(std::deque<Request>* queue, absl::Duration now, uint32_t* freed, Losses* out);
  void ExpireSent(Stream* stream, absl::Duration now, Losses* out);

  size_t max_waiting_;
  OutlierDetector outliers_;
  std::deque<Request> waiting_;
  std::map<StreamId, Stream> streams_;
  uint64_t choices_ = 0;
  std::set<uint64_t> known_;
  std::set<StreamId> woken_;
};

}  // namespace xebec::rpc
