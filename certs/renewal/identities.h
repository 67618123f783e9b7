// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace xebec::certs {

/// What is issued for one release of the chart.
struct Options {
  std::string ns;        ///< Namespace of the release and of its Secrets.
  std::string fullname;  ///< All names begin with it.
  std::string cluster_domain = "cluster.local";
  std::string trust_domain = "cluster.local";
  absl::Duration cert_duration = absl::Hours(30 * 24);
  absl::Duration ca_duration = absl::Hours(365 * 24);
  /// A new CA is known to everybody for this long before it signs: longer than it takes for
  /// a changed Secret to reach every Pod and process.
  absl::Duration overlap = absl::Hours(1);
};

/// One Secret with a certificate in it.
struct Identity {
  std::string secret;  ///< Name of the Secret.
  std::string uri;     ///< Whose it is.
  std::vector<std::string> dns_names;

  bool operator==(const Identity&) const = default;
};

/// Watcher, planner, applier, and the client certificate for users. DNS names are those of the
/// headless Services.
std::vector<Identity> IdentitiesOf(const Options& options);

/// Name of the Secret that holds the CA.
std::string CaSecret(const Options& options);

}  // namespace xebec::certs
