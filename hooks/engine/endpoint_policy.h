// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hooks/engine/call_target.h"
#include "hooks/engine/ip_address.h"

namespace xebec::gateway {

/// The hosts that may be hooks. A host is "hooks.example.com" or "*.example.com", which does not
/// include example.com itself. Case and final dots do not matter.
struct PolicyOptions {
  std::vector<std::string> allowed_hosts;  ///< Hosts that are not Services of the cluster.
  /// Hosts, addresses and blocks of addresses. A host includes its subdomains, because the Pods of
  /// a Service have names below its own. The name of a Service is denied with and without the
  /// cluster's domain, whichever of them is given.
  std::vector<std::string> denied_hosts;
  bool allow_plaintext = false;  ///< Also outside of the cluster.
  bool allow_loopback = false;   ///< Also in plaintext. For tests and development.
  std::string cluster_domain = "cluster.local";
};

/// Decides whether the gateway may connect to a hook. A user who can declare a hook cannot make the
/// gateway call internal servers. A value; its methods are pure.
class EndpointPolicy {
 public:
  /// INVALID_ARGUMENT names the invalid entry.
  static absl::StatusOr<EndpointPolicy> Make(const PolicyOptions& options);

  /// Returns a policy that allows every host, also in plaintext. For a program that connects with
  /// the rights of the user who chose the host.
  static EndpointPolicy AllowAll();

  /// Decides before the name is resolved. PERMISSION_DENIED says why and which setting to change.
  absl::Status CheckTarget(const CallTarget& target) const;

  /// Decides on an address of the target, when the gateway is about to connect to it.
  absl::Status CheckAddress(const CallTarget& target, const IpAddress& address) const;

  const std::string& cluster_domain() const { return cluster_domain_; }

 private:
  struct Hosts {
    std::vector<std::string> exact;
    std::vector<std::string> suffixes;  ///< ".example.com"
    bool Contain(const std::string& host) const;
  };
  static Hosts Split(const std::vector<std::string>& entries);

  bool IsDenied(const std::string& host) const;
  std::string WithoutClusterDomain(const std::string& host) const;

  Hosts allowed_, denied_;
  std::vector<IpRange> denied_ranges_;
  bool allow_plaintext_ = false;
  bool allow_loopback_ = false;
  bool allow_all_ = false;
  std::string cluster_domain_;
};

}  // namespace xebec::gateway
