// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "watcher/engine/options.h"
#include "watcher/engine/queue/deletion_budget.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/queue/work_queue.h"
#include "watcher/engine/reconcile/run_result.h"

namespace xebec::watcher {

/// Adds a key to the queue after its reconcile, as the result requires: at once, after a back-off
/// or a pause, or not at all. The caller must call WorkQueue::Done afterwards.
struct Requeue {
  const Options& options;
  /// The watcher's identity; spreads the pauses of different watchers.
  const std::string& identity;
  absl::Duration now;  ///< Monotonic.
  KeyId key = 0;
  KeyRecord& record;
  WorkQueue& queue;
  DeletionBudget& budget;

  void Idle(const RunResult& result) const;
  absl::Duration DeletionSlot() const;
  void Again(const RunResult& result) const;
  void Retry(const RunResult& result) const;
  void Wanted(const RunResult& result) const;
  void Quiet(const RunResult& result) const;
  /// Calls the method for result.next.
  void Apply(const RunResult& result) const;
};

}  // namespace xebec::watcher
