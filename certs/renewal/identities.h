// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace xebec::certs {

/// The settings of one release of the chart.
struct Options {
  std::string ns;        ///< Namespace of the release and of its Secrets.
  std::string fullname;  ///< Prefix of all names.
  std::string cluster_domain = "cluster.local";
  std::string trust_domain = "cluster.local";
  bool hooks = false;  ///< The release has a gateway of hooks.
  absl::Duration cert_duration = absl::Hours(30 * 24);
  absl::Duration ca_duration = absl::Hours(365 * 24);
  /// The time during which all services trust a new CA before it signs. It must be longer than a
  /// changed Secret needs to reach every process.
  absl::Duration overlap = absl::Hours(1);
};

/// A Secret with the certificate of one identity.
struct Identity {
  std::string secret;  ///< Name of the Secret.
  std::string uri;     ///< The identity.
  std::vector<std::string> dns_names;

  bool operator==(const Identity&) const = default;
};

/// The identities of watcher, planner, applier, of clients and, if there is one, of the gateway of
/// hooks. The DNS names are those of the headless Services.
std::vector<Identity> IdentitiesOf(const Options& options);

/// Name of the Secret that holds the CA.
std::string CaSecret(const Options& options);

}  // namespace xebec::certs
