// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/membership.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {
namespace {

// Longer than watchers that start together need to see each other, and than a watcher needs to take
// buckets that nobody plans.
constexpr absl::Duration kStableFor = absl::Milliseconds(300);

// The buckets that are assigned to nobody, or to a watcher that seems to be dead.
BucketSet Orphans(const MembersView& view) {
  BucketSet orphans = view.unassigned;
  for (const MemberView& member : view.members) {
    if (member.state == MemberState::kSilent) orphans.Add(member.buckets);
  }
  return orphans;
}

BucketSet Without(const BucketSet& held, BucketSet wanted) {
  wanted.Remove(held);
  return wanted;
}

MembersView ViewAt(const MembershipContext& context) {
  return context.leadership.View({absl::UnixEpoch(), context.now});
}

}  // namespace

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

// A watcher that joins others takes no bucket from them before it keeps the objects. But it could
// plan nothing before a planner has answered, and would get the buckets of dead watchers.
void Membership::MaybeJoin(const MembershipContext& context) {
  if (!joining_ || (context.cache.revision().empty() && !context.leadership.Alone())) return;
  joining_ = false;
  context.leadership.Join(context.now, context.out);
}

void Membership::HoldWanted(const MembershipContext& context) {
  const BucketSet* wanted = context.leadership.wanted();
  if (wanted == nullptr || (held_ && *held_ == *wanted)) return pending_.reset();
  if (!IsStable(*wanted, context)) return;
  pending_.reset();
  GainStep step = NextStep(*wanted, context);
  // A cache remembers one holder besides the one that it asks.
  if (step.buckets != *wanted && context.cache.Kept(*held_) != *held_) return;
  CacheContext for_cache{context.now, context.out, std::move(step.from)};
  held_ = std::move(step.buckets);
  context.cache.Hold(*held_, for_cache);
  tell_kept_ = true;
}

GainStep Membership::NextStep(const BucketSet& wanted, const MembershipContext& context) const {
  if (!held_ || held_->count() != wanted.count()) return {"", wanted};
  BucketSet gained = Without(*held_, wanted);
  auto step = FirstTransfer(ViewAt(context), gained);
  if (!step) return {"", wanted};
  gained.Remove(step->buckets);
  step->buckets = wanted;
  step->buckets.Remove(gained);
  return *std::move(step);
}

// Watchers that start together see each other join one after the other, and each one changes the
// shares. One that has no bucket yet waits for the last of them, and lists its objects once. So
// does a watcher that takes buckets which nobody plans: a list that begins before it has taken them
// may lack what the predecessor wrote last.
bool Membership::IsStable(const BucketSet& wanted, const MembershipContext& context) {
  const BucketSet gained = held_ ? Without(*held_, wanted) : wanted;
  const bool orphaned = !gained.And(Orphans(ViewAt(context))).empty();
  if (!context.leadership.Assigned().empty() && !orphaned) return true;
  if (!pending_ || pending_->wanted != wanted) pending_ = {wanted, context.now + kStableFor};
  return context.now >= pending_->due;
}

// The caches must hold what the predecessors wrote last.
void Membership::OnAcquired(const Acquired& acquired, const MembershipContext& context) {
  CacheContext for_cache{context.now, context.out};
  if (acquired.fresh_since > -absl::InfiniteDuration()) {
    context.cache.RequireFresh({acquired.fresh_since, acquired.buckets}, for_cache);
  }
  if (acquired.seen) {
    context.cache.RequireFresh({acquired.stated_since, acquired.stated, &*acquired.seen},
                               for_cache);
  }
  context.queues.SweepBuckets(acquired.buckets, "leadership acquired");
}

void Membership::OnIdle(const MembershipContext& context) {
  if (!stopping_ || drained_) return;
  if (!context.leadership.Release(context.now, context.out)) return;
  drained_ = true;
  context.out->push_back(Drained{});
}

}  // namespace xebec::watcher
