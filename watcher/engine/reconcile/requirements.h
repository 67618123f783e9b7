// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/key_context.h"
#include "watcher/engine/reconcile/live_reads.h"

namespace xebec::watcher {

/// Makes `gate` wait for the successful writes of `plan`. `outcomes` has one element for each
/// operation, in order, then that of the status. Ignores writes of kinds that are not watched.
void RequireWrites(const KeyContext& key, const Plan& plan, const std::vector<Outcome>& outcomes,
                   CacheGate* gate);

/// Makes `gate` wait for the results of in-doubt writes, which `reads` found.
void RequireInDoubt(const KeyContext& key, const LiveReads& reads, CacheGate* gate);

/// Returns the watched targets of `outcomes`, each once.
std::vector<ObjectRef> WatchedTargets(const KeyContext& key, const std::vector<Outcome>& outcomes);

/// Makes `gate` wait for an object that the planner gets from a live read, so that observations
/// never go back in time.
void RequireShown(const KeyContext& key, const ObjectRef& ref, const StoredObject& object,
                  CacheGate* gate);

}  // namespace xebec::watcher
