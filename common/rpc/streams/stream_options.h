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

/// Something worth a log line; never needed for correctness.
struct StreamNote {
  bool warning = false;
  std::string what;     ///< Constant: "Stream up", "Stream down", "Could not resolve", ...
  std::string address;  ///< Address::uri, or the target that was looked up.
  std::string detail;   ///< Why; may be empty.
};

/// StreamNote::what when a peer is ejected, and when it gets requests again.
inline constexpr char kPeerEjected[] = "Peer ejected";
inline constexpr char kPeerRestored[] = "Peer restored";

/// Settings of a pool of streams; every default is what the product ships.
struct StreamOptions {
  std::string name = "stream";  ///< "planner" or "applier": in notes and in the threads' names.
  std::string target;           ///< As ParseTargets reads it.
  uint32_t streams_per_address = 2;
  uint32_t credits_per_stream = 32;  ///< Planner only: observations in flight on one stream.
  size_t max_waiting =
      4096;  ///< Sends without a free stream; what is beyond is answered as failed.
  size_t max_message_bytes = 16 << 20;

  absl::Duration resolve_interval = absl::Seconds(5);
  absl::Duration backoff_min = absl::Milliseconds(100);
  absl::Duration backoff_max = absl::Seconds(5);
  absl::Duration heartbeat_busy = absl::Milliseconds(500);  ///< While something is in flight.
  absl::Duration heartbeat_idle = absl::Seconds(5);
  absl::Duration peer_timeout =
      absl::Seconds(10);  ///< Nothing heard for that long after a message: dead.
  absl::Duration max_age = absl::Minutes(10);  ///< Of a connection, give or take 10 %.
  absl::Duration drain_timeout =
      absl::Seconds(30);  ///< For what is in flight on an aged or departed stream.

  std::shared_ptr<grpc::ChannelCredentials> credentials;  ///< Null: plaintext.
  OutlierOptions outliers;
  ResolveFunction resolve = SystemResolve;
  CallObserver observer;
  /// Called from the pool's threads. May be empty.
  std::function<void(const StreamNote&)> on_note;
};

}  // namespace xebec::rpc
