// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::watcher {

/// What an applier's clock may differ from ours: a plan may be begun for that much longer.
inline constexpr absl::Duration kClockSkew = absl::Seconds(2);

/// Settings of the engine; every default is what the product ships.
struct Options {
  /// Namespaces to watch; empty = all. Without duplicates.
  std::vector<std::string> namespaces;
  /// Parent resources ("irises.example.com") that may be watched; empty = all that the planner
  /// describes.
  std::vector<std::string> allowed_kinds;

  // Reflector: client-go's figures.
  absl::Duration list_backoff_min = absl::Milliseconds(800);
  absl::Duration list_backoff_max = absl::Seconds(30);
  absl::Duration watch_timeout = absl::Minutes(7);
  uint32_t list_page = 500;
  absl::Duration discovery_interval =
      absl::Seconds(10);  ///< How often a missing CRD is looked for.

  // Queue: controller-runtime's per-item figures, with a lower ceiling.
  absl::Duration retry_min = absl::Milliseconds(50);
  absl::Duration retry_max = absl::Minutes(5);
  absl::Duration wanted_name_min = absl::Seconds(1);  ///< Design §3.13.
  absl::Duration wanted_name_max = absl::Minutes(1);

  // Passes.
  absl::Duration plan_timeout = absl::Seconds(10);  ///< For the planner's answer.
  absl::Duration plan_life = absl::Seconds(10);     ///< From the sending of a plan to its expiry.
  absl::Duration request_timeout = absl::Seconds(10);  ///< The applier's, for one API request.
  absl::Duration gate_timeout =
      absl::Seconds(5);  ///< Then live reads replace waiting for the cache.

  // Deletion budget per controller: deletes that were carried out within the
  // interval.
  uint32_t deletion_budget = 500;
  absl::Duration deletion_interval = absl::Minutes(1);

  // Leases.
  bool leader_election = true;
  /// Identities that begin with this belong to processes of this watcher's own instance: the same
  /// container of the same Pod, of which the kubelet starts a process only after the earlier one
  /// has ended. Their Leases are taken at once, with a higher epoch. Empty: no process is known to
  /// have ended.
  std::string instance;
  uint32_t buckets = 1;  ///< Parts of the key space, a Lease each; at least 1. The same everywhere.
  absl::Duration lease_duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);

  /// Settings of the controllers by name: JSON objects, shown to the planner
  /// (Observation::configuration).
  std::map<std::string, std::string> configuration;

  bool operator==(const Options&) const = default;
};

}  // namespace xebec::watcher
