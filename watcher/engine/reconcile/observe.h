// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "common/model/observation.h"
#include "watcher/engine/reconcile/key_context.h"
#include "watcher/engine/reconcile/live_objects.h"

namespace xebec::watcher {

/// Returns the observation of `parent` without sequence, reconcile id and reasons. Children come
/// from the caches, or from `live` for the kinds that it contains. Adds the uids of cached children
/// to `shown`, which may be null. Pure.
Observation Observe(const KeyContext& key, const StoredObject& parent, const LiveObjects& live,
                    std::set<std::string>* shown);

/// Returns the id of a reconcile for the logs of all services, from the sequence of its
/// observation.
std::string ReconcileId(const std::string& identity, uint64_t sequence);

}  // namespace xebec::watcher
