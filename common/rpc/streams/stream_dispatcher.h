// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/streams/stream_options.h"
#include "common/rpc/streams/stream_protocol.h"
#include "common/rpc/streams/stream_scheduler.h"

namespace xebec::rpc {

/// What a stream's writer has to do next.
struct WriteHeartbeat {};
struct EndWrites {};  ///< The stream is drained: half-close.
struct StopWriting {};
using WriterTask = std::variant<Request, WriteHeartbeat, EndWrites, StopWriting>;

/// The streams' scheduler shared by their threads: locks, wakes the writers, calls back outside the
/// lock. Thread-safe.
class StreamDispatcher {
 public:
  StreamDispatcher(const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol);

  // The owner's side.
  /// `timeout` counts from now. Never calls back.
  void Send(Request request, absl::Duration timeout);
  size_t InFlight() const;
  /// From now on every Send fails; so does what no stream has taken.
  void Close(const std::string& why);
  /// Waits until nothing is in flight, at most `timeout`.
  void AwaitIdle(absl::Duration timeout);

  // The streams' side.
  /// Before anything else of a stream.
  void Add(StreamId stream);
  /// The peer has spoken: the stream may carry requests.
  void Open(StreamId stream, const std::string& revision, const std::string& peer);
  /// Blocks until there is something to do for the writer; a heartbeat when the last one is long
  /// ago.
  WriterTask NextTask(StreamId stream, absl::Duration last_heartbeat);
  /// Takes an answer of the peer at the address `peer`.
  void Take(StreamId stream, const std::string& peer, Answer answer);
  /// The stream's writer could not write the request for its size.
  void RefuseTooLarge(StreamId stream, uint64_t sequence, const std::string& why);
  /// Ignored for a stream that was removed.
  void Drain(StreamId stream);
  /// Lets the stream's writer go.
  void StopWriter(StreamId stream);
  /// The stream is gone; what it carried is answered.
  void Remove(StreamId stream, const std::string& why);

  // The clock's side.
  /// Answers what is overdue and what Send refused. Returns when the next deadline is due.
  absl::Duration Expire();
  /// Waits until `until` (monotonic), or until an earlier deadline or a refusal came up, or Wake.
  void AwaitWork(absl::Duration until);
  void Wake();

  StreamProtocol* protocol() { return protocol_.get(); }
  const StreamOptions& options() const { return options_; }

 private:
  struct Writer {
    CondVar wake;
    bool draining = false;
    bool stopped = false;
  };
  struct Refused {
    Request request;
    std::string why;
  };

  absl::Duration HeartbeatInterval(StreamId stream) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void WakeWriters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Deliver(Losses losses, const std::string& why) ABSL_LOCKS_EXCLUDED(mu_);
  void WakeClock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Note(StreamScheduler::PeerChange change, const std::string& peer,
            const Answer& answer) const;
  void PublishCredits() ABSL_LOCKS_EXCLUDED(mu_, credits_mu_);
  void NoticeIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const StreamOptions options_;
  const std::unique_ptr<StreamProtocol> protocol_;

  mutable Mutex mu_;
  StreamScheduler scheduler_ ABSL_GUARDED_BY(mu_);
  std::map<StreamId, std::unique_ptr<Writer>> writers_ ABSL_GUARDED_BY(mu_);
  std::vector<Refused> refused_
      ABSL_GUARDED_BY(mu_);                  ///< At most one per Send until the clock's next turn.
  std::string closed_ ABSL_GUARDED_BY(mu_);  ///< Why Sends fail; empty while they do not.
  absl::Duration clock_sleeps_until_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
  bool woken_ ABSL_GUARDED_BY(mu_) = false;
  CondVar clock_wake_;
  CondVar idle_;

  Mutex credits_mu_;
  uint32_t published_ ABSL_GUARDED_BY(credits_mu_) = 0;
};

}  // namespace xebec::rpc
