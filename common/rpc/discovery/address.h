// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace xebec::rpc {

/// One place to look for servers, as written in configuration.
struct Target {
  std::string host;  ///< Name or literal address without brackets; empty for a unix socket.
  std::string port;
  std::string path;  ///< Of a unix socket; empty else.

  bool operator==(const Target&) const = default;
};

/// One server to connect to.
struct Address {
  std::string uri;  ///< gRPC's form: "ipv4:10.0.0.7:7443", "ipv6:[::1]:7443", "unix:/run/x.sock".
  std::string
      host;  ///< The name that was looked up: what a certificate has to prove. Empty for unix.

  auto operator<=>(const Address&) const = default;
};

/// Reads "host:port", "[::1]:port", "dns:///name:port", "unix:/path", or several of them separated
/// by commas. INVALID_ARGUMENT says which part is wrong and what is expected.
absl::StatusOr<std::vector<Target>> ParseTargets(std::string_view text);

/// Looks up one target: all its addresses. Blocks.
using ResolveFunction = std::function<absl::StatusOr<std::vector<Address>>(const Target&)>;

/// The system's resolver (getaddrinfo). UNAVAILABLE names the host and says why.
absl::StatusOr<std::vector<Address>> SystemResolve(const Target& target);

/// True for "unix:", "localhost", 127.0.0.0/8 and ::1: what may be listened on without TLS.
bool IsLocal(const Target& target);
/// True for unix sockets and numeric addresses: nothing has to be looked up.
bool IsLiteral(const Target& target);

}  // namespace xebec::rpc
