// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace xebec::rpc {

/// One target of a client, as written in the configuration.
struct Target {
  std::string host;  ///< Name, or IP address without brackets; empty for a unix socket.
  std::string port;
  std::string path;  ///< Path of a unix socket; empty otherwise.

  bool operator==(const Target&) const = default;
};

/// One server to connect to.
struct Address {
  std::string uri;  ///< gRPC address: "ipv4:10.0.0.7:7443", "ipv6:[::1]:7443", "unix:/run/x.sock".
  /// The name that was resolved, which the server's certificate must contain. Empty for unix
  /// sockets.
  std::string host;

  auto operator<=>(const Address&) const = default;
};

/// Parses "host:port", "[::1]:port", "dns:///name:port", "unix:/path", or a comma-separated list of
/// them. INVALID_ARGUMENT names the invalid part and the accepted form.
absl::StatusOr<std::vector<Target>> ParseTargets(std::string_view text);

/// Resolves one target to all its addresses. Blocks.
using ResolveFunction = std::function<absl::StatusOr<std::vector<Address>>(const Target&)>;

/// Resolves a target with getaddrinfo. UNAVAILABLE names the host and the reason.
absl::StatusOr<std::vector<Address>> SystemResolve(const Target& target);

/// Returns true for "unix:", "localhost", 127.0.0.0/8 and ::1, where servers may listen without
/// TLS.
bool IsLocal(const Target& target);
/// Returns true for unix sockets and IP addresses, which need no name resolution.
bool IsLiteral(const Target& target);

}  // namespace xebec::rpc
