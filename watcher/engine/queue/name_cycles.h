// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/queue/key_table.h"

namespace xebec::watcher {

/// A cycle of parents that wait for each other: each wants a name that the next one has and leaves,
/// because the plan of that one deletes the object, after it got the name that it wants itself.
struct NameCycle {
  KeyId breaker = 0;  ///< The parent with the lowest uid: it deletes first.
  ObjectRef left;     ///< What the parent that was asked for leaves, and another one wants.
};

/// The shortest cycle that `start` is part of; nullopt when there is none. As long as there are
/// cycles, one parent at least is the breaker of its own. Costs O(parents that `start` waits for,
/// directly or not), at most 1000 of them, and nothing for a parent that waits for no name.
std::optional<NameCycle> FindNameCycle(const KeyTable& keys, const CacheSet& cache, KeyId start);

}  // namespace xebec::watcher
