// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine_state.h"

namespace xebec::watcher {

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

}  // namespace xebec::watcher
