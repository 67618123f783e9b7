// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine_state.h"

#include <algorithm>

#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

// The assignment is one annotation.
constexpr size_t kMostStated = 64;

/// How fresh the caches have to be for all of these terms.
struct NeededFreshness {
  absl::Duration fresh_since = -absl::InfiniteDuration();
  absl::Duration seen_since = -absl::InfiniteDuration();
};

NeededFreshness NeededIn(const BucketSet& buckets, const Leadership& leadership) {
  NeededFreshness needed;
  for (const uint32_t bucket : buckets.ToVector()) {
    const CacheFreshness& its = leadership.term(bucket).freshness;
    absl::Duration& since = its.stated ? needed.seen_since : needed.fresh_since;
    since = std::max(since, its.since);
  }
  return needed;
}

// After a list or a transfer, the watch may show again what was seen before. Such events do not
// count.
std::string LastSeen(const ResourceCache& cache) {
  const auto order = kube::CompareVersions(cache.versions().cursor(), cache.store().watermark());
  const bool again = order && *order < 0;
  return cache.versions().parts().Latest(again ? cache.store().watermark()
                                               : cache.versions().changed());
}

// Nothing is stated of caches that are not complete, or have not yet seen what the holders of these
// buckets had seen before this watcher.
SeenVersions SeenBy(const WatchPool& watches, const NeededFreshness& needed) {
  SeenVersions seen;
  for (WatchId id = 0; id < watches.size(); ++id) {
    const Reflector& reflector = watches.reflector(id);
    const FreshnessBarrier& barrier = reflector.streams().barrier();
    if (!watches.Active(id) || !reflector.streams().UpToDate()) continue;
    if (barrier.fresh_since() < needed.fresh_since) continue;
    if (barrier.seen_since() < needed.seen_since) continue;
    const std::string version = LastSeen(reflector.cache());
    if (kube::IsComparable(version)) seen[StatementKey(reflector.spec())] = version;
  }
  return seen;
}

// Nothing is stated of a resource whose objects were deleted: the version of the answer may be
// older than the deletion.
void AddWritten(const WatchPool& watches, const Requirement& written, SeenVersions* seen) {
  const auto found = seen->find(StatementKey(watches.reflector(written.watch).spec()));
  if (found == seen->end()) return;
  const auto order = kube::CompareVersions(found->second, written.version);
  if (!order) {
    seen->erase(found);
  } else if (*order < 0) {
    found->second = written.version;
  }
}

}  // namespace

KeyContext EngineState::ContextOf(KeyId key) const {
  const KeyTable& keys = queues.keys();
  return {options, identity, now, cache, leadership, declared.declarations(), keys, keys.at(key)};
}

bool EngineState::MayStart(KeyId key) const {
  const KeyContext context = ContextOf(key);
  return !stopping && leadership.MayStart(context.bucket(), now.monotonic) &&
         context.caches_ready();
}

bool EngineState::HookAllows(ControllerId id) const {
  const auto& by_state = runs.CountsOf(id).by_state;
  const uint64_t calls = by_state[static_cast<size_t>(RunState::kPlanning)] +
                         by_state[static_cast<size_t>(RunState::kAsking)];
  return declared.MayStart(cache.controllers()[id], id, calls, credits.hooks, now.monotonic);
}

EngineState::YieldedBuckets EngineState::Yielding() const {
  YieldedBuckets yielded{leadership.yielding(), BucketSet(leadership.buckets())};
  for (const auto& [bucket, busy] : runs.busy()) {
    const bool doubtful = busy.in_doubt > 0;
    const bool waits = !stopping || !doubtful;
    if (waits) yielded.idle.Remove(bucket);
    if (doubtful) yielded.in_doubt.Add(bucket);
  }
  return yielded;
}

SeenVersions EngineState::SeenIn(const BucketSet& buckets) const {
  SeenVersions seen = SeenBy(cache.watches(), NeededIn(buckets, leadership));
  for (const CacheGate* gate : runs.GatesIn(buckets)) {
    for (const Requirement& each : gate->requirements()) AddWritten(cache.watches(), each, &seen);
  }
  return seen.size() <= kMostStated ? seen : SeenVersions();
}

}  // namespace xebec::watcher
