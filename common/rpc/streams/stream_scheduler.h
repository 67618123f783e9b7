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

/// One connection of one stream; never used twice.
using StreamId = uint64_t;

/// Requests that will not be answered by a peer.
struct Losses {
  std::vector<Request> unsent;  ///< Certainly never written to a stream.
  std::vector<uint64_t> lost;   ///< Written; whether the peer executed them is unknown.
};

/// Who carries what: the scheduler-keeping of a pool of streams, without threads, clocks or
/// sockets. Every request that Add accepts leaves exactly once: through Complete, Expire, Close or
/// Clear.
class StreamScheduler {
 public:
  using PeerChange = OutlierDetector::Change;

  /// `max_waiting` bounds the requests that no stream has taken yet.
  explicit StreamScheduler(size_t max_waiting, const OutlierOptions& outliers = {})
      : max_waiting_(max_waiting), outliers_(outliers) {}

  /// Takes a request, or gives it back when too many wait or its sequence is in flight already.
  std::optional<Request> Add(Request request);

  /// A stream is connected to a peer of this revision. It has no credits yet. `peer` names the
  /// peer: streams to the same peer are ejected together.
  void Open(StreamId stream, const std::string& revision, const std::string& peer = "");
  /// Ignored for streams that are not open.
  void Grant(StreamId stream, uint32_t credits);
  /// The stream gets nothing new; what it has is finished.
  void Drain(StreamId stream);
  /// The stream is gone, and with it what it carried.
  Losses Close(StreamId stream);

  /// The next request that the stream has to write.
  std::optional<Request> NextToWrite(StreamId stream);
  /// The peer answered. True when somebody still waits for the answer.
  bool Complete(StreamId stream, uint64_t sequence);
  /// What an answer says about the peer of the stream: that it can do its work, or that it cannot,
  /// by its own fault. A peer that cannot, several times in a row, is ejected while another one is
  /// healthy: it gets no requests for a while, then one at a time until one succeeds.
  PeerChange Judge(StreamId stream, bool failed, absl::Duration now);
  /// True while an answer of the peer is outstanding, or something is to be written.
  bool Busy(StreamId stream) const;

  /// Removes the requests that are overdue at `now`. One that was written keeps its credit until
  /// the peer answers. Ends the ejections that are over.
  Losses Expire(absl::Duration now);
  /// All that waits for a stream.
  Losses Clear();
  /// The earliest deadline or end of an ejection; InfiniteDuration when there is none.
  absl::Duration NextDeadline() const;

  /// Requests in flight and free credits, over all streams. The free credits of ejected peers do
  /// not count.
  uint32_t TotalCredits() const;
  /// Requests without an answer so far.
  size_t InFlight() const { return known_.size(); }
  /// Streams that were given something to write since the last call.
  std::vector<StreamId> TakeWoken();

 private:
  struct Stream {
    std::string revision;
    std::string peer;
    uint32_t credits = 0;
    uint64_t last_chosen = 0;  ///< In turns of `choices_`; 0: never.
    bool draining = false;
    std::deque<Request> queue;                ///< Assigned, in order of arrival.
    std::map<uint64_t, absl::Duration> sent;  ///< Written and wanted, with their deadlines.
    std::set<uint64_t> overdue;               ///< Written; nobody waits for them any more.
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
