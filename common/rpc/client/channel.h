// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/channel.h"
#include "grpcpp/security/credentials.h"

namespace xebec::rpc {

/// Settings of a client connection.
struct ChannelOptions {
  std::shared_ptr<grpc::ChannelCredentials> credentials;  ///< Null: plaintext.
  int max_message_bytes = 16 << 20;                       ///< Both ways.
  absl::Duration keepalive = absl::Seconds(30);           ///< Ping while calls are open ...
  absl::Duration keepalive_timeout = absl::Seconds(10);   ///< ... and give up without an answer.
  absl::Duration connect_timeout = absl::Seconds(10);     ///< TCP, TLS and HTTP/2 together.
  absl::Duration backoff_min = absl::Milliseconds(100);
  absl::Duration backoff_max = absl::Seconds(5);
  CallObserver observer;
};

/// A channel with a connection of its own (channels to the same address share nothing), made on
/// first use.
std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, const ChannelOptions& options);

}  // namespace xebec::rpc
