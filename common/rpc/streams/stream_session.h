// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/rpc/streams/stream_dispatcher.h"

namespace xebec::rpc {

/// One connection of a stream from dialling to its end. Run belongs to the stream's thread (which
/// reads), a thread of the session writes; the other methods are thread-safe.
class StreamSession {
 public:
  /// `max_age` is this connection's own, jitter included.
  StreamSession(StreamDispatcher* dispatcher, StreamId id, const Address& address,
                absl::Duration max_age);

  /// Dials, greets, carries requests until the connection ends, answers what was left. Returns why
  /// it ended; OK after Drain.
  absl::Status Run();

  /// Takes nothing new and ends when what it carries is answered.
  void Drain();
  /// Breaks the connection off.
  void Cancel(const std::string& why);
  /// Drains what is too old; cancels a dead peer and what does not end. Returns when to look again.
  absl::Duration Check(absl::Duration now);

  /// The peer has spoken at least once; since when (monotonic).
  std::optional<absl::Duration> up_since() const;

 private:
  absl::Status Carry(const std::shared_ptr<grpc::Channel>& channel);
  void WriteLoop(MessageStream* stream);
  bool WriteRequest(MessageStream* stream, const Request& request);
  /// The greeting is over; the stream has yet to be answered.
  void Answered();
  void Heard(const std::string& revision);
  /// Something is about to be sent: from now on the peer has to answer within the peer time-out.
  void Spoke();
  absl::Status Reason(const absl::Status& status) const;

  StreamDispatcher* const dispatcher_;
  const StreamId id_;
  const Address address_;
  const std::unique_ptr<grpc::ClientContext> handshake_;
  const std::unique_ptr<grpc::ClientContext> streaming_;

  mutable Mutex mu_;
  std::string cancelled_ ABSL_GUARDED_BY(mu_);  ///< Why; empty while it is not.
  absl::Duration unanswered_since_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
  std::optional<absl::Duration> up_since_ ABSL_GUARDED_BY(mu_);
  absl::Duration drain_at_ ABSL_GUARDED_BY(mu_);
  absl::Duration give_up_at_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
};

}  // namespace xebec::rpc
