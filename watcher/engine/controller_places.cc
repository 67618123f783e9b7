// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/controller_places.h"

#include <cstddef>
#include <set>

namespace xebec::watcher {

void ControllerPlaces::Add() const {
  const size_t count = cache.controllers().size();
  if (queues.controllers().size() == count) return;  // the share costs O(buckets)
  queues.AddControllers(count, options, leadership.Share());
}

void ControllerPlaces::Free() const {
  if (!queues.swept()) return;
  for (const ControllerId id : std::set<ControllerId>(cache.gone())) {
    if (queues.keys().CountOf(id) > 0) continue;
    cache.Free(id);
    queues.Free(id, options, leadership.Share());
    declared.Free(id);
  }
}

}  // namespace xebec::watcher
