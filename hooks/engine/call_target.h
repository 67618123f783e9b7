// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/model/hook.h"

namespace xebec::gateway {

/// The host and the port of an endpoint, and how its certificate is checked.
struct CallTarget {
  std::string host;  ///< Lower case, without brackets and final dot.
  uint32_t port = 0;
  std::string path;         ///< Of HTTP: "" or "/path", without final slash.
  bool tls = false;         ///< False means plaintext.
  std::string server_name;  ///< The name in the hook's certificate. Empty without TLS.
  bool service = false;     ///< A Service of the cluster.
  bool operator==(const CallTarget&) const = default;
};

/// Returns the target of an endpoint. A Service has the host "name.namespace.svc"; an address with
/// such a host, or with the cluster's domain after it, is a Service as well. INVALID_ARGUMENT names
/// the address and the accepted form.
absl::StatusOr<CallTarget> TargetOf(const HookEndpoint& endpoint, std::string_view cluster_domain);

/// Returns "host:port", with brackets around an IPv6 address.
std::string Authority(const CallTarget& target);

/// Returns the URL of a method of HookService over HTTP.
std::string UrlOf(const CallTarget& target, std::string_view method);

}  // namespace xebec::gateway
