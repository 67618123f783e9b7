// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/unlisted_buckets.h"

#include <vector>

namespace xebec::watcher {
namespace {

/// Adds those of the buckets whose objects the cache of the watch lacks.
void AddUnlisted(const CacheSet& cache, WatchId watch, const BucketSet& buckets,
                 UnlistedBuckets* unlisted) {
  const Reflector& reflector = cache.watches().reflector(watch);
  if (reflector.availability() == Availability::kUnavailable) return;
  BucketSet missing = buckets;
  if (cache.Ready(watch)) {
    const kube::BucketFilter& holds = reflector.spec().projection.keep;
    missing.Remove(holds.active() ? buckets.And(*holds.buckets) : buckets);
  } else if (unlisted->reason.empty()) {
    unlisted->reason = reflector.Explain();
  }
  missing.Remove(unlisted->buckets);
  unlisted->buckets.Add(missing);
}

}  // namespace

UnlistedBuckets FindUnlisted(const CacheSet& cache, const BucketSet& buckets,
                             const std::function<bool(const ResourceType&)>& kind) {
  if (cache.revision().empty()) {
    const std::vector<std::string> unsynced = cache.Unsynced();
    if (!unsynced.empty()) return {buckets, unsynced.front()};
  }
  UnlistedBuckets unlisted{BucketSet(buckets.count()), ""};
  for (const CachedController& controller : cache.controllers()) {
    const bool counts = controller.kind.declares || kind(controller.kind.parent);
    if (!controller.active || !counts) continue;
    for (const auto& [ns, watch] : controller.parent.all()) {
      AddUnlisted(cache, watch, buckets, &unlisted);
    }
  }
  return unlisted;
}

}  // namespace xebec::watcher
