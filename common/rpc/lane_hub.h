// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/lane_book.h"
#include "common/rpc/lane_options.h"
#include "common/rpc/lane_protocol.h"

namespace xebec::rpc {

/// What a lane's writer has to do next.
struct WriteHeartbeat {};
struct EndWrites {};  ///< The lane is drained: half-close.
struct StopWriting {};
using WriterTask = std::variant<Parcel, WriteHeartbeat, EndWrites, StopWriting>;

/// The lanes' book shared by their threads: locks, wakes the writers, calls back outside the lock.
/// Thread-safe.
class LaneHub {
 public:
  LaneHub(const LaneOptions& options, std::unique_ptr<LaneProtocol> protocol);

  // The owner's side.
  /// `timeout` counts from now. Never calls back.
  void Send(Parcel parcel, absl::Duration timeout);
  size_t InFlight() const;
  /// From now on every Send fails; so does what no lane has taken.
  void Close(const std::string& why);
  /// Waits until nothing is in flight, at most `patience`.
  void AwaitIdle(absl::Duration patience);

  // The lanes' side.
  /// Before anything else of a lane.
  void Enlist(LaneId lane);
  /// The peer has spoken: the lane may carry parcels.
  void Open(LaneId lane, const std::string& revision);
  /// Blocks until there is something to do for the writer; a heartbeat when the last one is long
  /// ago.
  WriterTask NextTask(LaneId lane, absl::Duration last_heartbeat);
  void Take(LaneId lane, Answer answer);
  /// The lane's writer could not write the parcel for its size.
  void RefuseTooLarge(LaneId lane, uint64_t sequence, const std::string& why);
  /// Ignored for a lane that was discharged.
  void Drain(LaneId lane);
  /// Lets the lane's writer go.
  void StopWriter(LaneId lane);
  /// The lane is gone; what it carried is answered.
  void Discharge(LaneId lane, const std::string& why);

  // The clock's side.
  /// Answers what is overdue and what Send refused. Returns when the next deadline is due.
  absl::Duration Expire();
  /// Waits until `until` (monotonic), or until an earlier deadline or a refusal came up, or Nudge.
  void AwaitWork(absl::Duration until);
  void Nudge();

  LaneProtocol* protocol() { return protocol_.get(); }
  const LaneOptions& options() const { return options_; }

 private:
  struct Writer {
    CondVar wake;
    bool draining = false;
    bool stopped = false;
  };
  struct Refused {
    Parcel parcel;
    std::string why;
  };

  absl::Duration HeartbeatInterval(LaneId lane) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void WakeWriters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Deliver(Losses losses, const std::string& why) ABSL_LOCKS_EXCLUDED(mu_);
  void PublishCapacity() ABSL_LOCKS_EXCLUDED(mu_, capacity_mu_);
  void NoticeIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const LaneOptions options_;
  const std::unique_ptr<LaneProtocol> protocol_;

  mutable Mutex mu_;
  LaneBook book_ ABSL_GUARDED_BY(mu_);
  std::map<LaneId, std::unique_ptr<Writer>> writers_ ABSL_GUARDED_BY(mu_);
  std::vector<Refused> refused_
      ABSL_GUARDED_BY(mu_);                  ///< At most one per Send until the clock's next turn.
  std::string closed_ ABSL_GUARDED_BY(mu_);  ///< Why Sends fail; empty while they do not.
  absl::Duration clock_sleeps_until_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
  bool nudged_ ABSL_GUARDED_BY(mu_) = false;
  CondVar clock_wake_;
  CondVar idle_;

  Mutex capacity_mu_;
  uint32_t published_ ABSL_GUARDED_BY(capacity_mu_) = 0;
};

}  // namespace xebec::rpc
