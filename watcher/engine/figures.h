// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::watcher {

/// A histogram of durations for Prometheus.
struct DurationHistogram {
  /// Upper bounds of the buckets in seconds; one more bucket (+Inf) follows.
  static constexpr std::array<double, 16> kBounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300};

  std::array<uint64_t, kBounds.size() + 1> buckets = {};  ///< Count per bucket, not cumulative.
  uint64_t count = 0;
  double sum_seconds = 0;

  void Add(absl::Duration duration);
  bool operator==(const DurationHistogram&) const = default;
};

/// The number of occurrences of each name. The set of names is bounded.
using Counts = std::map<std::string, uint64_t>;

/// More declared controllers than this have no figures, so that the metrics stay bounded.
inline constexpr size_t kMostDeclaredFigures = 512;

/// The figures of one controller. Values marked as gauge are current values; all others are
/// counters.
struct ControllerFigures {
  std::string controller;
  Counts reconciles;  ///< By result: "success", "error", "requeue", "requeue_after".
  /// Reconciles whose plan has the verdict kInvalid: only the user can correct the error.
  uint64_t invalid = 0;
  uint64_t timeouts = 0;  ///< Reconciles whose plan or report did not arrive in time.
  /// By result: "writes", "nothing", "live_lists", "event_reads", "stale", "deferred", "failed".
  Counts plans;
  Counts outcomes;     ///< By Name(OutcomeCode).
  Counts refused;      ///< Rejected outcomes by code, and plans that the watcher refused by reason.
  uint64_t stale = 0;  ///< Plans whose preconditions did not hold.
  uint64_t queue_adds = 0;
  uint64_t queue_retries = 0;
  uint64_t gate_waits = 0;       ///< Reconciles that waited for the cache.
  uint64_t gate_timeouts = 0;    ///< Waits for the cache that ended in live reads.
  uint64_t unknown_reports = 0;  ///< Plans whose report did not arrive.
  uint64_t deletions_deferred = 0;
  /// Reconciles that wrote and whose key must wait because of a write loop.
  uint64_t slowed_writes = 0;
  DurationHistogram queue_seconds;  ///< From ready to taken.
  DurationHistogram work_seconds;   ///< From taken to finished, including the wait for the cache.
  DurationHistogram reconcile_seconds;  ///< From the observation to the report.
  DurationHistogram gate_seconds;
  DurationHistogram end_to_end_seconds;  ///< From the change that queued the key to the report.

  Counts hook_calls;               ///< By DecisionLabel or MetricLabel.
  DurationHistogram hook_seconds;  ///< From the call to the answer of the gateway.

  bool declared = false;        ///< An Operator declares the controller.
  bool hook_available = false;  ///< Gauge. True before the first answer.
  bool hook_open = false;       ///< Gauge: the circuit breaker is open.
  uint64_t hook_limit = 0;      ///< Gauge: calls that may be under way at once.
  uint64_t hook_asked = 0;      ///< Gauge: reconciles that wait for an answer.
  uint64_t hook_waiting = 0;    ///< Gauge: queued keys that wait until the hook may be called.

  /// Gauge: subresources that the kind can use and that the parents' CRD does not serve.
  Counts missing_subresources;
  std::map<std::string, uint64_t>
      queue_depth;      ///< Gauge, by priority: "user", "controller", "background".
  uint64_t keys = 0;    ///< Gauge.
  uint64_t active = 0;  ///< Gauge: keys with a reconcile.
  /// Gauge: plans that the appliers accept at once, for all controllers.
  uint64_t most_at_once = 0;
  uint64_t waiting_for_cache = 0;  ///< Gauge.
  absl::Duration unfinished;       ///< Gauge: sum over the active reconciles.
  absl::Duration longest_running;  ///< Gauge.

  bool operator==(const ControllerFigures&) const = default;
};

/// The figures of one watched resource.
struct ResourceFigures {
  ResourceType type;
  std::string ns;        ///< Empty means all namespaces.
  bool synced = false;   ///< Gauge.
  uint64_t objects = 0;  ///< Gauge: stored.
  /// Gauge: time since the last event or bookmark, an upper bound of the cache's lag. Infinite
  /// before the first.
  absl::Duration since_last_event;
  uint64_t events = 0;
  Counts relists;  ///< By reason: "initial", "expired", "malformed", "stale", "lost_write",
                   ///< "acquired", ...
  Counts errors;   ///< By HTTP status; "0" means no response.

  bool operator==(const ResourceFigures&) const = default;
};

/// The buckets as this watcher sees them.
struct LeadershipFigures {
  bool leads = false;       ///< Any bucket.
  uint32_t buckets = 0;     ///< Of the installation, as configured.
  uint32_t held = 0;        ///< By this watcher.
  uint32_t unassigned = 0;  ///< Without a holder whose Lease is valid.
  uint32_t watchers = 0;    ///< That hold a member Lease.
  uint32_t differing = 0;   ///< Of these, with other kinds, namespaces or hooks.
  /// Counter: the buckets that this watcher "gained", "yielded" to another one, or "lost".
  Counts moves = {{"gained", 0}, {"lost", 0}, {"yielded", 0}};

  bool operator==(const LeadershipFigures&) const = default;
};

/// The figures of the engine at one time, for metrics.
struct EngineFigures {
  std::vector<ControllerFigures> controllers;
  std::vector<ResourceFigures> resources;
  LeadershipFigures leadership;
  uint32_t planner_credits = 0;
  uint32_t applier_credits = 0;
  bool hooks = false;            ///< The watcher is configured with a gateway of hooks.
  uint32_t hook_credits = 0;     ///< Calls that the connected gateways accept at once.
  uint32_t plans_waiting = 0;    ///< Plans that wait for a credit of an applier.
  std::string planner_revision;  ///< The revision that plans the keys.

  bool operator==(const EngineFigures&) const = default;
};

}  // namespace xebec::watcher
