// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_queues.h"

#include <algorithm>
#include <utility>

#include "watcher/engine/queue/key_changes.h"
#include "watcher/engine/queue/name_cycles.h"

namespace xebec::watcher {
namespace {

ControllerKeys WithoutKeys(const Options& options, const LimitShare& share) {
  return {WorkQueue({options.retry_min, options.retry_max}),
          DeletionBudget(options.deletion_budget, options.deletion_interval, share)};
}

}  // namespace

void KeyQueues::AddControllers(size_t count, const Options& options, const LimitShare& share) {
  while (controllers_.size() < count) controllers_.push_back(WithoutKeys(options, share));
}

void KeyQueues::Free(ControllerId controller, const Options& options, const LimitShare& share) {
  controllers_[controller] = WithoutKeys(options, share);
}

void KeyQueues::SetShare(const LimitShare& share) {
  for (ControllerKeys& each : controllers_) each.budget.SetShare(share);
}

std::vector<KeyChange> KeyQueues::Map(const Changed& change, const CacheSet& cache) {
  return MapToKeys(change, cache, wanted_, &keys_, &sweeps_);
}

void KeyQueues::Add(KeyId key, Priority priority, std::string reason, absl::Duration now,
                    bool urgent) {
  Of(key).queue.Add(key, priority, std::move(reason), now, urgent);
}

void KeyQueues::Restart(KeyId key) {
  wanted_.Set(key, {});
  Of(key).queue.Forget(key);
}

void KeyQueues::Remove(KeyId key) {
  wanted_.Set(key, {});
  Of(key).queue.Remove(key);
  parked_.Remove(key);
  keys_.Remove(key);
}

std::optional<TakenKey> KeyQueues::Take(absl::FunctionRef<bool(ControllerId)> may_start,
                                        absl::Duration now) {
  ControllerKeys* best = nullptr;
  absl::Duration best_rank = absl::InfiniteDuration();
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    const absl::Duration rank = controllers_[id].queue.NextRank();
    if (rank >= best_rank || !may_start(id)) continue;
    best = &controllers_[id];
    best_rank = rank;
  }
  return best == nullptr ? std::nullopt : best->queue.Take(now);
}

void KeyQueues::Park(const TakenKey& taken, absl::Duration now) {
  parked_.Add({taken.key, taken.priority});
  Done(taken.key, now);
}

void KeyQueues::SweepBuckets(const BucketSet& buckets, const std::string& reason) {
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    if (keys_.CountOf(id) == 0) continue;
    sweeps_.Add({id, "", buckets, reason, Priority::kBackground});
  }
}

std::optional<KeyId> KeyQueues::Want(KeyId key, std::vector<ObjectRef> names,
                                     const CacheSet& cache) {
  std::vector<WantedNames::Name> watched;
  for (const ObjectRef& ref : names) {
    const WatchId* watch = cache.watches().Find(ref.type, ref.ns);
    if (watch != nullptr) watched.push_back({*watch, {ref.ns, ref.name}});
  }
  wanted_.Set(key, watched);
  keys_.at(key).wanted = std::move(names);
  const std::optional<NameCycle> cycle = FindNameCycle(keys_, cache, key);
  return cycle && cycle->breaker != key ? std::optional(cycle->breaker) : std::nullopt;
}

bool KeyQueues::Pay(KeyId key, const std::vector<uint64_t>& writes, absl::Duration now) {
  if (writes.empty()) return false;
  const WritePace::Toll toll = keys_.at(key).pace.Pay(writes, now);
  if (toll.wait == absl::ZeroDuration()) return false;
  ControllerKeys& its = Of(key);
  its.queue.Hold(key, {now + toll.wait, /*hard=*/false});
  ++its.figures.slowed_writes;
  return toll.begins;
}

void KeyQueues::Tick(absl::Duration now) {
  for (ControllerKeys& each : controllers_) each.queue.Tick(now);
}

absl::Duration KeyQueues::NextDeadline() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const ControllerKeys& each : controllers_) {
    next = std::min(next, each.queue.NextDeadline());
  }
  return next;
}

}  // namespace xebec::watcher
