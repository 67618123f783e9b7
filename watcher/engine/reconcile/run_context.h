// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "watcher/engine/figures.h"
#include "watcher/engine/queue/deletion_budget.h"
#include "watcher/engine/reconcile/key_context.h"
#include "watcher/engine/reconcile/live_reads.h"

namespace xebec::watcher {

/// What a ReconcileRun may use during one call. Refers to what the Engine owns.
struct RunContext {
  KeyContext key;
  KeyId id = 0;
  KeyRecord& record;         ///< The key's memory; the run writes what it learns into it.
  ControllerFigures& count;  ///< The run counts what happens.
  Sequences& sequences;
  const DeletionBudget& budget;
  bool may_send = false;  ///< This watcher leads the key's bucket and is not stopping.
  bool dirty = false;     ///< Changes of the key wait in the queue.
};

/// What the caller of a ReconcileRun must do after a call, in the order of the members.
struct Effects {
  Outputs out;                        ///< To be returned by Engine::Step.
  std::vector<std::string> requeues;  ///< Reasons to plan the key again after this reconcile.
  uint64_t charged = 0;               ///< Deletions that the budget must be charged.
  uint64_t refunded = 0;              ///< Deletions that were charged and not carried out.
  /// The names that the key waits for from now on; nullopt: the same as before.
  std::optional<std::vector<ObjectRef>> wanted;
  std::optional<uint64_t> known_epoch;      ///< An applier knows this epoch of the key's bucket.
  bool own_plan = false;                    ///< The plan's revision is the observation's.
  std::optional<std::string> foreign_plan;  ///< The revision of a plan that is not.
  std::vector<WatchId> doubted;             ///< Watches that may have lost events.
  bool covers_changes = false;              ///< Live reads will show the changes that are queued.
  bool waits = false;     ///< The key waits for watermarks: see ReconcileRun::gate.
  bool finished = false;  ///< The reconcile is over: see ReconcileRun::result.
};

}  // namespace xebec::watcher
