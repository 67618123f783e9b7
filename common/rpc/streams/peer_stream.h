// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "absl/time/time.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/streams/stream_options.h"
#include "common/rpc/streams/stream_scheduler.h"

namespace xebec::rpc {

/// One connection of a stream, as its pool sees it. A value without threads, clocks or sockets.
/// All times are monotonic.
struct StreamConnection {
  StreamId id = 0;
  std::string revision;   ///< Of the peer; known after the handshake.
  std::string cancelled;  ///< The reason of a cancellation, or empty.

  bool open = false;         ///< The call has started: messages may be read and written.
  bool writing = false;      ///< A write is under way.
  bool buffered = false;     ///< gRPC may hold back the last message until the next write.
  bool writes_over = false;  ///< The writing side is closed or broken.
  bool ended = false;        ///< No message can be read any more.
  bool finishing = false;    ///< The status of the call is on its way.
  bool draining = false;     ///< Takes no new requests; ends when it has no more.

  absl::Duration unanswered_since = absl::InfiniteDuration();
  std::optional<absl::Duration> up_since;  ///< Of the first message from the peer.
  absl::Duration drain_at = absl::InfiniteDuration();
  absl::Duration give_up_at = absl::InfiniteDuration();
  absl::Duration last_heartbeat = -absl::InfiniteDuration();

  bool CanWrite() const { return open && !writing && !writes_over && !ended && cancelled.empty(); }
  /// Records that a message is about to be sent. The peer must answer within the peer timeout.
  void Spoke(absl::Duration now);
  /// Starts to drain. Returns false if it has started before.
  bool Drain(absl::Duration now, absl::Duration timeout);
  /// Returns why the connection must be cancelled now: the peer is dead, or it does not finish
  /// draining. Returns "" if it may live on.
  std::string Failure(absl::Duration now, absl::Duration peer_timeout) const;
  /// Returns the earliest time at which Failure or the age matters.
  absl::Duration NextCheck(absl::Duration peer_timeout) const;
};

/// One stream to one address: its connection, and when it connects again. A value without threads,
/// clocks or sockets.
class PeerStream {
 public:
  /// `seed` determines the jitter of ages and pauses. The first connection is due at once.
  PeerStream(Address address, uint32_t seed) : address_(std::move(address)), random_(seed) {}

  const Address& address() const { return address_; }
  std::optional<StreamConnection>& connection() { return connection_; }
  const std::optional<StreamConnection>& connection() const { return connection_; }

  /// Returns the time of the next connection; only for a stream without a connection.
  absl::Duration connect_at() const { return connect_at_; }
  /// Begins a connection.
  void Connect(StreamId id, const StreamOptions& options, absl::Duration now);
  /// Ends the connection and determines the pause before the next one.
  void Disconnect(const StreamOptions& options, absl::Duration now);

  /// Makes the current connection the last one.
  void End() { ending_ = true; }
  bool ending() const { return ending_; }

  /// Returns true if the error of the last connection was the same. Remembers `error`.
  bool Repeats(const std::string& error);

 private:
  double Jitter(double from, double to);

  Address address_;
  std::minstd_rand random_;
  bool ending_ = false;
  int failures_ = 0;  ///< In a row.
  std::string last_error_;
  absl::Duration connect_at_ = -absl::InfiniteDuration();
  std::optional<StreamConnection> connection_;
};

}  // namespace xebec::rpc
