// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine_state.h"

#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

// The assignment is one annotation.
constexpr size_t kMostStated = 64;

// Nothing is stated of caches that lag behind or are not complete.
SeenVersions SeenBy(const WatchPool& watches) {
  SeenVersions seen;
  for (WatchId id = 0; id < watches.size(); ++id) {
    const Reflector& reflector = watches.reflector(id);
    if (!watches.Active(id) || !reflector.streams().UpToDate()) continue;
    seen[Describe(reflector.spec())] = reflector.cache().changed();
  }
  return seen;
}

// Nothing can be stated of a resource if no version shows what was written.
void AddWritten(const WatchPool& watches, const Requirement& written, SeenVersions* seen) {
  const auto found = seen->find(Describe(watches.reflector(written.watch).spec()));
  if (found == seen->end()) return;
  const std::string& version = written.version.empty() ? written.deleted_version : written.version;
  const auto order = kube::CompareVersions(found->second, version);
  if (!order) {
    seen->erase(found);
  } else if (*order < 0) {
    found->second = version;
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
  SeenVersions seen = SeenBy(cache.watches());
  for (const CacheGate* gate : runs.GatesIn(buckets)) {
    for (const Requirement& each : gate->requirements()) AddWritten(cache.watches(), each, &seen);
  }
  return seen.size() <= kMostStated ? seen : SeenVersions();
}

}  // namespace xebec::watcher
