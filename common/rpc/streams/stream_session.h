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

/// One connection of a stream from connecting to its end. The stream's thread calls Run and reads;
/// a thread of the session writes. The other methods are thread-safe.
class StreamSession {
 public:
  /// `max_age` applies to this connection and includes jitter.
  StreamSession(StreamDispatcher* dispatcher, StreamId id, const Address& address,
                absl::Duration max_age);

  /// Connects, performs the handshake, carries requests until the connection ends, and answers the
  /// remaining requests. Returns the reason of the end; OK after Drain.
  absl::Status Run();

  /// Ends the connection when its requests are answered. It takes no new requests.
  void Drain();
  /// Cancels the connection.
  void Cancel(const std::string& why);
  /// Drains a connection that is too old, and cancels one whose peer is dead or that does not
  /// finish draining. Returns the time of the next check.
  absl::Duration Check(absl::Duration now);

  /// Returns the time (monotonic) of the first message from the peer, or nullopt before that.
  std::optional<absl::Duration> up_since() const;

 private:
  absl::Status Carry(const std::shared_ptr<grpc::Channel>& channel);
  void WriteLoop(MessageStream* stream);
  bool WriteRequest(MessageStream* stream, const Request& request);
  /// Records the answer to the handshake. The stream itself has no answer yet.
  void Answered();
  void Heard(const std::string& revision);
  /// Records that a message is about to be sent. The peer must answer within the peer timeout.
  void Spoke();
  absl::Status Reason(const absl::Status& status) const;

  StreamDispatcher* const dispatcher_;
  const StreamId id_;
  const Address address_;
  const std::unique_ptr<grpc::ClientContext> handshake_;
  const std::unique_ptr<grpc::ClientContext> streaming_;

  mutable Mutex mu_;
  std::string cancelled_ ABSL_GUARDED_BY(mu_);  ///< The reason; empty if not cancelled.
  absl::Duration unanswered_since_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
  std::optional<absl::Duration> up_since_ ABSL_GUARDED_BY(mu_);
  absl::Duration drain_at_ ABSL_GUARDED_BY(mu_);
  absl::Duration give_up_at_ ABSL_GUARDED_BY(mu_) = absl::InfiniteDuration();
};

}  // namespace xebec::rpc
