// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/base/clock.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/declarations/declarations.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/options.h"
#include "watcher/engine/queue/key_table.h"

namespace xebec::watcher {

/// A key and what it may read around itself. Refers to what its maker owns: for one call only.
struct KeyContext {
  const Options& options;
  const std::string& identity;  ///< Of this watcher.
  const Instant& now;
  const CacheSet& cache;
  const Leadership& leadership;
  const Declarations& declarations;
  const KeyTable& keys;
  const KeyRecord& record;

  const CachedController& controller() const { return cache.controllers()[record.controller]; }
  ObjectRef ref() const { return {controller().kind.parent, record.name.ns, record.name.name}; }
  /// As it is cached; null when it is gone or its controller is not active.
  const StoredObject* parent() const {
    Slot slot = record.slot;
    return cache.Parent(record.controller, record.name, record.uid, &slot);
  }
  uint32_t bucket() const { return record.Bucket(leadership.buckets()); }
  /// The caches hold all that plans of the bucket rest on.
  bool caches_ready() const {
    return cache.Ready(record.controller, bucket(), leadership.term(bucket()).freshness);
  }
  bool leads() const { return leadership.Leads(bucket(), now.monotonic); }
  /// Outcomes of plans under an earlier leadership say nothing any more, because others have led
  /// since.
  std::vector<Outcome> outcomes() const {
    const bool valid = record.outcomes_of == leadership.term(bucket()).acquisitions;
    return valid ? record.outcomes.All() : std::vector<Outcome>{};
  }
  /// Changes with the leadership, the planner revision and the declaration of the controller. Plans
  /// and live reads that were requested in an earlier term are discarded.
  uint64_t term() const {
    return leadership.term(bucket()).acquisitions + cache.moves() + controller().changes;
  }
};

}  // namespace xebec::watcher
