// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/rpc/discovery/address.h"
#include "grpcpp/server_builder.h"

namespace xebec::rpc {

/// An address that a server listens on.
struct Listener {
  std::string text;  ///< As configured.
  Target target;
  std::shared_ptr<grpc::ServerCredentials> credentials;  ///< Null means plaintext.
  int port = 0;  ///< The actual port, once the server has started; 1 for a unix socket.
};

/// Returns the listeners of `tls`, which have `credentials` (null means plaintext), and then those
/// of `plaintext`. Returns INVALID_ARGUMENT for an address that is malformed or requires TLS.
absl::StatusOr<std::vector<Listener>> MakeListeners(
    const std::vector<std::string>& tls,
    const std::shared_ptr<grpc::ServerCredentials>& credentials,
    const std::vector<std::string>& plaintext);

/// Adds them to a server. They must stay where they are until it has started.
void AddListeners(std::vector<Listener>* listeners, grpc::ServerBuilder* builder);

/// Returns UNAVAILABLE with the address if one could not be bound.
absl::Status CheckBound(const std::vector<Listener>& listeners, bool started);

/// Returns the address with its actual port.
std::string ListenUri(const Listener& listener);

}  // namespace xebec::rpc
