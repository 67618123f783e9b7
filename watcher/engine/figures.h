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

/// Cumulative histogram of durations, as Prometheus counts them.
struct DurationHistogram {
  /// Upper bounds of the buckets in seconds; one more bucket (+Inf) follows.
  static constexpr std::array<double, 16> kBounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300};

  std::array<uint64_t, kBounds.size() + 1> buckets = {};  ///< Not cumulative: each counts its own.
  uint64_t count = 0;
  double sum_seconds = 0;

  void Add(absl::Duration duration);
  bool operator==(const DurationHistogram&) const = default;
};

/// How often each of a bounded set of names occurred.
using Counts = std::map<std::string, uint64_t>;

/// One controller. Counters only grow; gauges (marked) are of the moment.
struct ControllerFigures {
  std::string controller;
  Counts passes;          ///< By result: "success", "error", "requeue", "requeue_after".
  uint64_t invalid = 0;   ///< Passes whose plan said that the user has to act (terminal errors).
  uint64_t timeouts = 0;  ///< Passes whose plan or report did not come in time.
  Counts plans;  ///< By result: "writes", "nothing", "live_lists", "stale", "deferred", "failed".
  Counts outcomes;  ///< By Name(OutcomeCode).
  Counts
      refused;  ///< Outcomes that were rejected, by code; plans refused by the watcher, by reason.
  uint64_t stale = 0;  ///< Plans whose preconditions did not hold.
  uint64_t queue_adds = 0;
  uint64_t queue_retries = 0;
  uint64_t gate_waits = 0;     ///< Passes that had to wait for the cache.
  uint64_t gate_timeouts = 0;  ///< Of these, those that went on with live reads.
  uint64_t unknown_reports = 0;
  uint64_t deletions_deferred = 0;
  uint64_t slowed_writes = 0;       ///< Passes that wrote and whose key has to wait for that.
  DurationHistogram queue_seconds;  ///< From ready to taken.
  DurationHistogram work_seconds;   ///< From taken to finished, the gate included.
  DurationHistogram pass_seconds;   ///< From the observation to the report.
  DurationHistogram gate_seconds;
  DurationHistogram end_to_end_seconds;  ///< From the change that queued the key to the report.

  Counts missing_subresources;  ///< Gauge: of the parents' CRD, those that the kind can use.
  std::map<std::string, uint64_t>
      queue_depth;                 ///< Gauge, by priority: "user", "controller", "background".
  uint64_t delayed = 0;            ///< Gauge.
  uint64_t keys = 0;               ///< Gauge.
  uint64_t active = 0;             ///< Gauge: keys with a reconcile.
  uint64_t most_at_once = 0;       ///< Gauge: plans that appliers take at once, of all controllers.
  uint64_t waiting_for_cache = 0;  ///< Gauge.
  absl::Duration unfinished;       ///< Gauge: sum over the active reconciles.
  absl::Duration longest_running;  ///< Gauge.

  bool operator==(const ControllerFigures&) const = default;
};

/// One watched resource.
struct ResourceFigures {
  ResourceType type;
  std::string ns;        ///< Empty: all namespaces.
  std::string state;     ///< Gauge: "discovering", "absent", "backoff", "listing", "watching".
  bool synced = false;   ///< Gauge.
  uint64_t objects = 0;  ///< Gauge: stored.
  absl::Duration
      since_last_event;  ///< Gauge: cache lag at most; bookmarks count. Infinite before the first.
  uint64_t events = 0;
  Counts relists;  ///< By reason: "initial", "expired", "malformed", "stale", "lost_write",
                   ///< "acquired", ...
  Counts errors;   ///< By HTTP status ("0": no answer).

  bool operator==(const ResourceFigures&) const = default;
};

/// Leadership of one bucket.
struct BucketFigures {
  uint32_t bucket = 0;
  bool leads = false;
  uint64_t epoch = 0;

  bool operator==(const BucketFigures&) const = default;
};

/// A moment of the engine, for metrics.
struct EngineFigures {
  std::vector<ControllerFigures> controllers;
  std::vector<ResourceFigures> resources;
  std::vector<BucketFigures> buckets;
  bool synced = false;
  uint32_t planner_slots = 0, planner_used = 0;
  uint32_t applier_slots = 0, applier_used = 0;
  uint32_t plans_waiting = 0;    ///< For an applier's slot.
  std::string planner_revision;  ///< That keys are planned with.
  uint64_t revision_moves = 0;

  bool operator==(const EngineFigures&) const = default;
};

}  // namespace xebec::watcher
