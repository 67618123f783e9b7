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

/// Puts a key whose reconcile is over back into the queue, as its result demands: at once, after a
/// back-off or a pause, or not at all. The caller still has to call WorkQueue::Done.
struct Requeue {
  const Options& options;
  const std::string& identity;  ///< Of this watcher; spreads the pauses.
  absl::Duration now;           ///< Monotonic.
  KeyId key = 0;
  KeyRecord& record;
  WorkQueue& queue;
  DeletionBudget& budget;

  void Idle(const RunResult& result) const;
  void Again(const RunResult& result) const;
  void Retry(const RunResult& result) const;
  void Wanted(const RunResult& result) const;
  void Quiet(const RunResult& result) const;
  /// Calls the one of these that result.next names.
  void Apply(const RunResult& result) const;
};

}  // namespace xebec::watcher
