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

/// The tasks of a stream's writer.
struct WriteHeartbeat {};
struct EndWrites {};  ///< The stream is drained: close the writing side.
struct StopWriting {};
using WriterTask = std::variant<Request, WriteHeartbeat, EndWrites, StopWriting>;

/// Shares the scheduler between the threads of all streams: locks it, wakes writers and runs
/// callbacks outside the lock. Thread-safe.
class StreamDispatcher {
 public:
  StreamDispatcher(const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol);

  // For the owner.
  /// Schedules a request. `timeout` starts now. Never runs a callback.
  void Send(Request request, absl::Duration timeout);
  size_t InFlight() const;
  /// Fails the requests that no stream has taken yet, and every later Send.
  void Close(const std::string& why);
  /// Waits until no request is in flight, at most `timeout`.
  void AwaitIdle(absl::Duration timeout);

  // For the streams.
  /// Must be the first call for a stream.
  void Add(StreamId stream);
  /// Called after the handshake: the stream may carry requests.
  void Open(StreamId stream, const std::string& revision, const std::string& peer);
  /// Waits for the next task of the writer. Returns a heartbeat if the last one was too long ago.
  WriterTask NextTask(StreamId stream, absl::Duration last_heartbeat);
  /// Processes an answer of the peer at the address `peer`.
  void Take(StreamId stream, const std::string& peer, Answer answer);
  /// Reports that the request is too large to be written.
  void RefuseTooLarge(StreamId stream, uint64_t sequence, const std::string& why);
  /// Ends the stream once its requests are answered. Ignored for a removed stream.
  void Drain(StreamId stream);
  /// Ends the stream's writer.
  void StopWriter(StreamId stream);
  /// Removes a stream and answers its requests.
  void Remove(StreamId stream, const std::string& why);

  // For the clock thread.
  /// Answers overdue requests and requests that Send refused. Returns the time of the next
  /// deadline.
  absl::Duration Expire();
  /// Waits until `until` (monotonic), an earlier deadline, a refused request or Wake.
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
  /// At most one for each Send until the next Expire.
  std::vector<Refused> refused_ ABSL_GUARDED_BY(mu_);
  std::string closed_ ABSL_GUARDED_BY(mu_);  ///< The reason why Send fails; empty while it works.
  absl::Duration clock_sleeps_until_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
  bool woken_ ABSL_GUARDED_BY(mu_) = false;
  CondVar clock_wake_;
  CondVar idle_;

  Mutex credits_mu_;
  uint32_t published_ ABSL_GUARDED_BY(credits_mu_) = 0;
};

}  // namespace xebec::rpc
