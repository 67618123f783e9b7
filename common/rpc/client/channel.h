// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "common/rpc/discovery/address.h"
#include "grpcpp/channel.h"
#include "grpcpp/security/credentials.h"

namespace xebec::rpc {

/// Settings of a client connection.
struct ChannelOptions {
  std::shared_ptr<grpc::ChannelCredentials> credentials;  ///< Null means plaintext.
  int max_message_bytes = 16 << 20;                       ///< For requests and responses.
  absl::Duration keepalive = absl::Seconds(30);  ///< Interval of pings while a call is open.
  /// The connection closes if a ping gets no answer in time.
  absl::Duration keepalive_timeout = absl::Seconds(10);
  absl::Duration connect_timeout = absl::Seconds(10);  ///< For TCP, TLS and HTTP/2 together.
  absl::Duration backoff_min = absl::Milliseconds(100);
  absl::Duration backoff_max = absl::Seconds(5);
};

/// Returns a channel with its own connection, which is opened by the first call. Channels to the
/// same address share nothing.
std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, const ChannelOptions& options);

}  // namespace xebec::rpc
