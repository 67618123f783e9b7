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
#include "common/rpc/parcel.h"

namespace xebec::rpc {

/// One connection of one lane; never used twice.
using LaneId = uint64_t;

/// Parcels that will not be answered by a peer.
struct Losses {
  std::vector<Parcel> unsent;  ///< Certainly never written to a stream.
  std::vector<uint64_t> lost;  ///< Written; their fate is unknown.
};

/// Who carries what: the book-keeping of a pool of lanes, without threads, clocks or sockets. Every
/// parcel that Add accepts leaves exactly once: through Settle, Expire, Close or Clear.
class LaneBook {
 public:
  /// `max_waiting` bounds the parcels that no lane has taken yet.
  explicit LaneBook(size_t max_waiting) : max_waiting_(max_waiting) {}

  /// Takes a parcel, or gives it back when too many wait or its sequence is in flight already.
  std::optional<Parcel> Add(Parcel parcel);

  /// A lane is connected to a peer of this revision. It has no credits yet.
  void Open(LaneId lane, const std::string& revision);
  /// Ignored for lanes that are not open.
  void Grant(LaneId lane, uint32_t credits);
  /// The lane gets nothing new; what it has is finished.
  void Drain(LaneId lane);
  /// The lane is gone, and with it what it carried.
  Losses Close(LaneId lane);

  /// The next parcel that the lane has to write.
  std::optional<Parcel> NextToWrite(LaneId lane);
  /// The peer answered. True when somebody still waits for the answer.
  bool Settle(LaneId lane, uint64_t sequence);
  /// True while the peer owes the lane an answer, or something is to be written.
  bool Busy(LaneId lane) const;

  /// What is overdue at `now`. An overdue parcel that was written keeps its credit until the peer
  /// answers.
  Losses Expire(absl::Duration now);
  /// All that waits for a lane.
  Losses Clear();
  /// The earliest deadline; InfiniteDuration when nothing waits.
  absl::Duration NextDeadline() const;

  /// Free credits and parcels in flight, over all lanes.
  uint32_t Capacity() const;
  /// Parcels without an answer so far.
  size_t InFlight() const { return known_.size(); }
  /// Lanes that were given something to write since the last call.
  std::vector<LaneId> TakeWoken();

 private:
  struct Lane {
    std::string revision;
    uint32_t credits = 0;
    uint64_t last_chosen = 0;  ///< In turns of `choices_`; 0: never.
    bool draining = false;
    std::deque<Parcel> queue;                 ///< Assigned, in order of arrival.
    std::map<uint64_t, absl::Duration> sent;  ///< Written and wanted, with their deadlines.
    std::set<uint64_t> overdue;               ///< Written; nobody waits for them any more.
  };

  void Dispatch();
  Lane* Choose(const Parcel& parcel);
  bool Connected(const std::string& revision) const;
  void ExpireWaiting(std::deque<Parcel>* queue, absl::Duration now, uint32_t* freed, Losses* out);
  void ExpireSent(Lane* lane, absl::Duration now, Losses* out);

  size_t max_waiting_;
  std::deque<Parcel> waiting_;
  std::map<LaneId, Lane> lanes_;
  uint64_t choices_ = 0;
  std::set<uint64_t> known_;
  std::set<LaneId> woken_;
};

}  // namespace xebec::rpc
