// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "common/model/observation.h"
#include "watcher/engine/reconcile/key_context.h"
#include "watcher/engine/reconcile/live_objects.h"

namespace xebec::watcher {

/// The observation of `parent` that a planner is sent, without sequence, reconcile id and reasons.
/// Children come from the caches, or from `live` where that has their kind. The uids of cached
/// children are added to `shown`, which may be null. Pure.
Observation Observe(const KeyContext& key, const StoredObject& parent, const LiveObjects& live,
                    std::set<std::string>* shown);

/// Names a reconcile in the logs of all services, by the sequence of its observation.
std::string ReconcileId(const std::string& identity, uint64_t sequence);

}  // namespace xebec::watcher
