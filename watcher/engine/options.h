// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::watcher {

/// The tolerated difference between an applier's clock and ours. An applier may start a plan for
/// this long after the plan has expired.
inline constexpr absl::Duration kClockSkew = absl::Seconds(2);

/// Settings of the engine. The defaults are those of the product.
struct Options {
  /// Namespaces to watch, without duplicates; empty means all.
  std::vector<std::string> namespaces;
  /// Parent resources ("irises.example.com") to watch; empty means all that the planner describes.
  std::vector<std::string> allowed_kinds;

  /// Users may declare controllers (kind Operator); hooks are called through a gateway.
  bool hooks = false;
  /// The resources ("webs.example.com") that declared controllers may have as parents, and those
  /// that they may have as children; empty means all, and "*" stands for all.
  std::vector<std::string> hook_parents, hook_children;

  // Reflector; the defaults are those of client-go.
  absl::Duration list_backoff_min = absl::Milliseconds(800);
  absl::Duration list_backoff_max = absl::Seconds(30);
  absl::Duration watch_timeout = absl::Minutes(7);
  uint32_t list_page = 500;
  absl::Duration discovery_interval = absl::Seconds(10);  ///< Interval of checks for a missing CRD.

  // Queue; like controller-runtime's per-item limits, with a lower maximum.
  absl::Duration retry_min = absl::Milliseconds(50);
  absl::Duration retry_max = absl::Minutes(5);
  /// Limits of the back-off of a key that waits for a name.
  absl::Duration wanted_name_min = absl::Seconds(1);
  absl::Duration wanted_name_max = absl::Minutes(1);

  // Reconciles.
  absl::Duration plan_timeout = absl::Seconds(10);  ///< Timeout of a plan request.
  absl::Duration plan_life = absl::Seconds(10);     ///< From sending a plan to its expiry.
  /// The timeout of one API request, at least that of the appliers: deletions and the parents of
  /// lost reports wait until no request of an applier can be in progress.
  absl::Duration request_timeout = absl::Seconds(10);
  /// The minimum interval of status writes of a parent that show only progress.
  absl::Duration progress_interval = absl::Seconds(1);
  absl::Duration gate_timeout =
      absl::Seconds(5);  ///< The time after which live reads replace the wait for the cache.

  // The number of deletions per controller and interval, of all watchers of the installation.
  uint32_t deletion_budget = 500;
  absl::Duration deletion_interval = absl::Minutes(1);

  // Leases.
  bool leader_election = true;
  /// The prefix of the identities of this watcher's own instance: processes in the same container
  /// of the same Pod. The kubelet starts a process only after the earlier one has ended, so their
  /// Leases are acquired at once, with a higher epoch. Empty if earlier processes may still be
  /// running.
  std::string instance;
  /// The number of buckets that the parents are divided into; at least 1. Must be the same for all
  /// watchers of an installation.
  uint32_t buckets = 128;
  /// Where other watchers reach this one (host:port); empty if they cannot.
  std::string address;
  absl::Duration lease_duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);
  /// How long a watcher plans buckets that another one should hold, while the caches of that one do
  /// not hold their objects. Must be shorter than the time that the host waits for Drained.
  absl::Duration move_timeout = absl::Milliseconds(4500);

  bool operator==(const Options&) const = default;
};

}  // namespace xebec::watcher
