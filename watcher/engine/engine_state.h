// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "common/base/clock.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/declarations/declared_controllers.h"
#include "watcher/engine/io.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/options.h"
#include "watcher/engine/queue/key_queues.h"
#include "watcher/engine/reconcile/run_table.h"

namespace xebec::watcher {

/// The components of an Engine, and questions that need more than one of them. Contains references
/// that are valid during one call only.
struct EngineState {
  const Options& options;
  const std::string& identity;
  const Instant& now;  ///< Of the last step.
  const CacheSet& cache;
  const DeclaredControllers& declared;
  const KeyQueues& queues;
  const RunTable& runs;
  const Leadership& leadership;
  const CreditsChanged& credits;
  const std::optional<BucketSet>& held;  ///< The buckets that the caches hold.
  bool stopping = false;

  KeyContext ContextOf(KeyId key) const;
  /// Returns true if a reconcile of the key may begin: its bucket is led and cached.
  bool MayStart(KeyId key) const;
  /// Returns true if a plan of the key may be sent.
  bool MaySend(KeyId key) const { return !stopping && ContextOf(key).leads(); }
  /// Returns true if the hook allows that a reconcile of the controller begins.
  bool HookAllows(ControllerId id) const;
  /// The buckets to hand over, and what their reconciles are about; see Leadership::Yield.
  struct YieldedBuckets {
    BucketSet idle, in_doubt;
  };
  YieldedBuckets Yielding() const;
  /// What this watcher has seen, and what its reconciles in these buckets, which are complete, have
  /// written. The cost grows with the number of runs.
  SeenVersions SeenIn(const BucketSet& buckets) const;
};

}  // namespace xebec::watcher
