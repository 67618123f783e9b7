// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/streams/outlier_detector.h"
#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/security/credentials.h"

namespace xebec::rpc {

class StreamLoop;

/// An event of a pool to log. Correctness never depends on it.
struct StreamNote {
  bool warning = false;
  std::string what;     ///< A constant text: "Stream up", "Stream down", "Could not resolve", ...
  std::string address;  ///< Address::uri, or the target that was resolved.
  std::string detail;   ///< The reason; may be empty.
};

/// The values of StreamNote::what when a peer is ejected, and when it receives requests again.
inline constexpr char kPeerEjected[] = "Peer ejected";
inline constexpr char kPeerRestored[] = "Peer restored";

/// Settings of a pool of streams. The defaults are those of the watcher.
struct StreamOptions {
  std::string name = "stream";  ///< "planner" or "applier"; used in notes and thread names.
  std::string target;           ///< A target for ParseTargets.
  uint32_t streams_per_address = 2;
  uint32_t credits_per_stream = 32;  ///< Planner only: the observations in flight on one stream.
  size_t max_waiting = 4096;  ///< The limit of requests that wait for a stream; further ones fail.
  size_t max_message_bytes = 16 << 20;

  absl::Duration resolve_interval = absl::Seconds(5);
  absl::Duration backoff_min = absl::Milliseconds(100);
  absl::Duration backoff_max = absl::Seconds(5);
  absl::Duration heartbeat_busy = absl::Milliseconds(500);  ///< While requests are in flight.
  absl::Duration heartbeat_idle = absl::Seconds(5);
  absl::Duration peer_timeout =
      absl::Seconds(10);  ///< A peer is dead if it is silent for this time after a message.
  absl::Duration max_age = absl::Minutes(10);  ///< Age of a connection, ±10 %.
  absl::Duration drain_timeout =
      /// For requests in flight on a stream that is too old or whose address has disappeared.
      absl::Seconds(30);

  std::shared_ptr<grpc::ChannelCredentials> credentials;  ///< Null means plaintext.
  OutlierOptions outliers;
  ResolveFunction resolve = SystemResolve;
  CallObserver observer;
  /// The loop that carries the streams. Null means that the pool has its own.
  std::shared_ptr<StreamLoop> loop;
  /// Called on the threads of the loop and of the addresses. May be empty.
  std::function<void(const StreamNote&)> on_note;
};

}  // namespace xebec::rpc
