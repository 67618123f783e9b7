// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/membership.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {
namespace {

constexpr absl::Duration kJoinTimeout = absl::Seconds(15);

}  // namespace

void Membership::OnJoin(absl::Duration now) { join_by_ = now + kJoinTimeout; }

bool Membership::OnTick(const MembershipContext& context) {
  TellKept(context);
  MaybeJoin(context);
  HoldWanted(context);
  if (const auto acquired = context.leadership.TakeAcquired()) OnAcquired(*acquired, context);
  const Leadership::Turn turn = context.leadership.TakeTurn(context.now);
  if (turn.won) context.queues.CheckParked();
  if (turn.won || turn.lost) context.queues.SetShare(context.leadership.Share());
  const bool stops = !stopping_ && context.leadership.MayStop();
  stopping_ |= stops;
  return turn.lost || stops;
}

// Other watchers hand buckets over to this one once it keeps the objects.
void Membership::TellKept(const MembershipContext& context) {
  if (!held_ || !std::exchange(tell_kept_, false)) return;
  context.leadership.Keep(context.cache.Kept(*held_), context.now, context.out);
}

// A watcher joins others when its caches are ready for its share, and does not wait if it is alone.
// After some time it joins although a resource cannot be listed, so that it plans the other kinds;
// but never before a planner has answered, because it could plan nothing.
void Membership::MaybeJoin(const MembershipContext& context) {
  if (!join_by_) return;
  const bool ready = context.leadership.Alone() ||
                     (context.leadership.wanted() != nullptr && context.cache.Unsynced().empty());
  if (!ready && context.now < *join_by_) return;
  if (!ready && context.cache.revision().empty()) return OnJoin(context.now);
  join_by_.reset();
  context.leadership.Join(context.now, context.out);
}

void Membership::HoldWanted(const MembershipContext& context) {
  const BucketSet* wanted = context.leadership.wanted();
  if (wanted == nullptr || (held_ && *held_ == *wanted)) return;
  held_ = *wanted;
  CacheContext for_cache{context.now, context.out};
  context.cache.Hold(*held_, for_cache);
  tell_kept_ = true;
}

// The caches must hold what the predecessors wrote last.
void Membership::OnAcquired(const BucketSet& acquired, const MembershipContext& context) {
  absl::Duration fresh_since = -absl::InfiniteDuration();
  for (const uint32_t bucket : acquired.ToVector()) {
    fresh_since = std::max(fresh_since, context.leadership.term(bucket).fresh_since);
  }
  CacheContext for_cache{context.now, context.out};
  context.cache.RequireFresh(fresh_since, for_cache);
  context.queues.SweepBuckets(acquired, "leadership acquired");
}

void Membership::OnIdle(const MembershipContext& context) {
  if (!stopping_ || drained_) return;
  if (!context.leadership.Release(context.now, context.out)) return;
  drained_ = true;
  context.out->push_back(Drained{});
}

}  // namespace xebec::watcher
