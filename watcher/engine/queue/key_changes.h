// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/queue/key_change.h"
#include "watcher/engine/queue/key_sweeps.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/queue/wanted_names.h"

namespace xebec::watcher {

/// Returns the changes of the keys that `change` concerns, in order. Adds keys for new parents to
/// `keys`. A change that concerns all keys of a controller or a namespace becomes a sweep instead.
std::vector<KeyChange> MapToKeys(const Changed& change, const CacheSet& cache,
                                 const WantedNames& wanted, KeyTable* keys, KeySweeps* sweeps);

}  // namespace xebec::watcher
