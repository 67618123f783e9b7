// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/rpc/streams/peer_stream.h"
#include "common/rpc/streams/stream_action.h"
#include "common/rpc/streams/stream_options.h"
#include "common/rpc/streams/stream_protocol.h"
#include "common/rpc/streams/stream_scheduler.h"
#include "common/rpc/streams/stream_set.h"

namespace xebec::rpc {

/// Every decision of a pool of streams: which addresses it connects to and when, which stream
/// carries a request, when a stream writes, drains, or is given up. A value without threads, clocks
/// or sockets: its host passes inputs with the monotonic time and carries out the actions.
class StreamMachine {
 public:
  /// `seed` determines all jitter.
  StreamMachine(StreamOptions options, uint32_t seed);

  // Inputs of any thread. Their actions start operations of gRPC and run no callback.

  /// Accepts a request with its deadline. It leaves the machine in exactly one DeliverAnswer or
  /// DeliverLosses.
  Actions Send(Request request, absl::Duration now);
  /// A write has completed. `ok` is false if the call is broken.
  Actions Written(StreamId stream, bool ok, absl::Duration now);
  /// The request of StartWrite is too large, and nothing was written.
  Actions TooLarge(StreamId stream, uint64_t sequence, std::string why, absl::Duration now);
  /// Replaces the addresses of the pool; Tick connects to them.
  void SetAddresses(std::vector<Address> addresses);
  /// Fails the requests that no stream has taken yet, and every later Send.
  void Close(const std::string& why);
  /// Ends all streams at once. Called after Close.
  void Abort(const std::string& why);

  // Inputs of the loop's thread.

  Actions HandshakeDone(StreamId stream, std::string revision, absl::Duration now);
  /// `ok` is false if the call has failed.
  Actions Started(StreamId stream, bool ok, absl::Duration now);
  /// The peer sent an answer, which is judged as `verdict`; `why_failed` explains kFailed.
  Actions Heard(StreamId stream, Answer answer, PeerVerdict verdict, const std::string& why_failed,
                absl::Duration now);
  /// No more messages of the peer will arrive.
  Actions ReadEnded(StreamId stream);
  /// The connection has ended, or could not be made.
  Actions Finished(StreamId stream, const absl::Status& status, absl::Duration now);
  /// Does what is due: deadlines, connections, heartbeats, and the results of the inputs above
  /// that run callbacks.
  Actions Tick(absl::Duration now);

  /// Returns the time of the next Tick.
  absl::Duration due() const { return due_; }
  /// Returns the number of requests that have not left the machine.
  size_t InFlight() const;
  /// Returns true if no stream and nothing to deliver is left. Only true after Abort.
  bool Gone() const;

 private:
  void Due(absl::Duration when) { due_ = std::min(due_, when); }
  void TickNow() { due_ = -absl::InfiniteDuration(); }

  void Reconcile(absl::Duration now, Actions* actions);
  void EndStreams(Actions* actions);
  void Check(uint32_t number, PeerStream* stream, absl::Duration now, Actions* actions);
  void CheckConnection(StreamConnection* connection, absl::Duration now, Actions* actions);
  void Drain(StreamConnection* connection, absl::Duration now, Actions* actions);
  void Cancel(StreamConnection* connection, const std::string& why, Actions* actions);

  void Open(PeerStream* stream, absl::Duration now, Actions* actions);
  static Actions FinishOnce(StreamConnection* connection);
  void NoteEnd(PeerStream* stream, const absl::Status& status, Actions* actions);
  void WriteWoken(absl::Duration now, Actions* actions);
  absl::Duration HeartbeatDue(const StreamConnection& connection) const;
  void DeliverPostponed(Actions* actions);
  static void Lose(Losses losses, const std::string& why, Actions* actions);
  void PublishCredits(Actions* actions);

  StreamOptions options_;
  StreamSet streams_;
  StreamScheduler scheduler_;
  uint32_t published_ = 0;  ///< Credits.
  absl::Duration due_ = -absl::InfiniteDuration();

  std::optional<std::vector<Address>> addresses_;  ///< Not yet reconciled.
  std::string closed_;                             ///< The reason why Send fails, or empty.
  std::string aborted_;                            ///< The reason why all streams end.
  std::vector<DeliverLosses> postponed_losses_;
  std::vector<std::pair<StreamId, Answer>> postponed_answers_;
};

}  // namespace xebec::rpc
