// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/key_context.h"
#include "watcher/engine/reconcile/live_reads.h"

namespace xebec::watcher {

/// Makes `gate` wait for the successful writes of `plan`. `outcomes`: one for each operation, in
/// order, then the status. Writes of kinds that are not watched are left out.
void RequireWrites(const KeyContext& key, const Plan& plan, const std::vector<Outcome>& outcomes,
                   CacheGate* gate);

/// Makes `gate` wait for what writes of unknown outcome have left behind, as `reads` found it.
void RequireInDoubt(const KeyContext& key, const LiveReads& reads, CacheGate* gate);

/// The targets of `outcomes` that are watched, each once.
std::vector<ObjectRef> WatchedTargets(const KeyContext& key, const std::vector<Outcome>& outcomes);

/// Makes `gate` wait for an object that the planner is shown live: observations never go back in
/// time.
void RequireShown(const KeyContext& key, const ObjectRef& ref, const StoredObject& object,
                  CacheGate* gate);

}  // namespace xebec::watcher
