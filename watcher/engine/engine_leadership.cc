// SPDX-License-Identifier: Apache-2.0
// The Engine: what follows from the leadership of buckets, its beginning and its end.
#include <algorithm>
#include <optional>

#include "watcher/engine/engine.h"

namespace xebec::watcher {

// A watcher joins others when its caches are ready for its share, and does not wait if it is alone.
void Engine::MaybeJoin() {
  if (!join_by_ || (now_.monotonic < *join_by_ && !leadership_.Alone() && !Synced())) return;
  join_by_.reset();
  leadership_.Join(now_.monotonic, &out_);
}

void Engine::OnLeadership() {
  const BucketSet* wanted = leadership_.wanted();
  if (wanted != nullptr && (!held_ || *held_ != *wanted)) {
    held_ = *wanted;
    CacheContext context = ForCache();
    cache_.Hold(*held_, context);
  }
  if (leadership_.AnyAcquired()) Acquired(leadership_.TakeAcquired());
  const Leadership::Turn turn = leadership_.TakeTurn(now_.monotonic);
  if (turn.lost) CancelWaiting("this watcher does not lead");
  if (turn.won) unpark_ = 0;
  if (!turn.won && !turn.lost) return;
  const LimitShare share = leadership_.Share();
  for (ControllerKeys& each : controllers_) each.budget.SetShare(share);
}

// Caches must hold what the predecessor wrote last.
void Engine::Acquired(const BucketSet& buckets) {
  absl::Duration fresh_since = -absl::InfiniteDuration();
  for (const uint32_t bucket : buckets.ToVector()) {
    fresh_since = std::max(fresh_since, leadership_.term(bucket).fresh_since);
  }
  CacheContext context = ForCache();
  cache_.RequireFresh(fresh_since, context);
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    sweeps_.Add({id, "", buckets, "leadership acquired", Priority::kBackground});
  }
}

void Engine::Unpark(size_t limit) {
  auto next = parked_.lower_bound(*unpark_);
  for (size_t i = 0; i < limit && next != parked_.end(); ++i) {
    const KeyId key = *next;
    const bool led = MayStart(key);
    if (led) Queue(key, Priority::kBackground, "its bucket is assigned to this watcher again");
    next = led ? parked_.erase(next) : std::next(next);
  }
  unpark_ = next == parked_.end() ? std::nullopt : std::optional(*next);
}

// Offers the buckets that other watchers should hold, once their reconciles are complete.
void Engine::Yield() {
  if (leadership_.yielding().empty()) return;
  BucketSet idle = leadership_.yielding();
  BucketSet in_doubt(leadership_.buckets());
  for (const auto& [bucket, doubtful] : runs_.Busy()) {
    const bool waits = stopping_ ? !doubtful : true;
    if (waits) idle.Remove(bucket);
    if (doubtful) in_doubt.Add(bucket);
  }
  leadership_.Yield(idle, in_doubt, now_.monotonic, &out_);
}

void Engine::MaybeDrain() {
  if (!stopping_ || drained_ || runs_.Count(RunState::kApplying) > 0) return;
  if (!leadership_.Release(now_.monotonic, &out_)) return;
  drained_ = true;
  out_.push_back(Drained{});
}

bool Engine::MayStart(KeyId key) const {
  const KeyContext context = ContextOf(key);
  return !stopping_ && leadership_.MayStart(context.bucket(), now_.monotonic) &&
         context.caches_ready();
}

}  // namespace xebec::watcher
