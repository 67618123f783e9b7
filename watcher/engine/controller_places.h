// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/declarations/declared_controllers.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/options.h"
#include "watcher/engine/queue/key_queues.h"

namespace xebec::watcher {

/// The components that know a controller by its id, during one call.
struct ControllerPlaces {
  const Options& options;
  const Leadership& leadership;
  CacheSet& cache;
  KeyQueues& queues;
  DeclaredControllers& declared;

  /// Adds the controllers that the caches know and the queues do not know yet.
  void Add() const;
  /// Frees the ids of declared controllers that are gone, once nothing refers to them: no sweep and
  /// no key, and so no reconcile. Another controller gets the id.
  void Free() const;
};

}  // namespace xebec::watcher
