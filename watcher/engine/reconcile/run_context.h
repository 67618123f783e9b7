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

/// The context of one call of a ReconcileRun. Contains references to members of the engine.
struct RunContext {
  KeyContext key;
  KeyId id = 0;
  KeyRecord& record;         ///< The key's record, which the run updates.
  ControllerFigures& count;  ///< The counters that the run increments.
  Sequences& sequences;
  const DeletionBudget& budget;
  bool may_send = false;  ///< This watcher leads the key's bucket and is not stopping.
  bool dirty = false;     ///< Changes of the key wait in the queue.
};

/// The effects of a call of a ReconcileRun. The caller must carry them out in the order of the
/// members.
struct Effects {
  Outputs out;                        ///< Outputs of Engine::Step.
  std::vector<std::string> requeues;  ///< Reasons to plan the key again after this reconcile.
  uint64_t charged = 0;               ///< Deletions to charge to the budget.
  uint64_t refunded = 0;              ///< Deletions that were charged and not carried out.
  /// The names that the key now waits for; nullopt means no change.
  std::optional<std::vector<ObjectRef>> wanted;
  std::optional<uint64_t> known_epoch;  ///< An epoch of the key's bucket that an applier reported.
  bool own_plan = false;  ///< True if the planner has the revision that the observation requires.
  std::optional<std::string> foreign_plan;  ///< The planner's revision if it is another one.
  std::optional<HookReply> hook;            ///< What a hook has answered.
  absl::Duration hook_begun;                ///< When that call began; monotonic.
  std::vector<WatchId> doubted;             ///< Watches that may have lost events.
  bool covers_changes = false;              ///< True if live reads will show the queued changes.
  bool waits = false;     ///< True if the key waits for watermarks; see ReconcileRun::gate.
  bool finished = false;  ///< True if the reconcile is over; see ReconcileRun::result.
};

}  // namespace xebec::watcher
