// SPDX-License-Identifier: Apache-2.0
// What the Leases mean for the buckets of this watcher.
#include <algorithm>
#include <utility>

#include "common/kube/resource_version.h"
#include "watcher/engine/leadership/balance.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/leadership/next_assignment.h"

namespace xebec::watcher {

void Leadership::Review(absl::Duration now) {
  if (!elects_) return;
  NoteMembership(now);
  depose_at_ = -absl::InfiniteDuration();
  ReviewTerms(now);
  ReviewTargets(now);
  check_ = true;
}

// A watcher that was no member for some time begins new terms.
void Leadership::NoteMembership(absl::Duration now) {
  const bool held = member_.Holds(now);
  if (std::exchange(held_, held) && !held) {
    for (Term& each : terms_) {
      if (each.held) each.lost_epoch = each.epoch;
    }
  }
}

void Leadership::ReviewTerms(absl::Duration now) {
  const Assignment& current = assignment_.current();
  const bool valid = current.count() == buckets_;
  const bool as_member = held_ && AssignedAsMember();
  figures_.held = 0;
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    ReviewTerm(bucket, valid ? current.buckets[bucket] : BucketHolder{"", 0, false}, as_member,
               now);
    if (terms_[bucket].held) ++figures_.held;
  }
  held_any_ |= figures_.held > 0;
}

// Before this watcher became a member, others could take its buckets, and the assignment that it
// has seen may be older than that.
bool Leadership::AssignedAsMember() const {
  const auto order =
      kube::CompareVersions(assignment_.resource_version(), member_.acquired_version());
  return !order.has_value() || *order > 0;
}

// Limits of the installation are not used twice when a bucket moves. What the only watcher has used
// is forgotten when it ends.
bool Leadership::Inherits(const Term& term) const {
  return alone_ && (!held_any_ || !term.was_others);
}

LimitShare Leadership::Share() const {
  std::vector<absl::Duration> counts_from;
  for (const Term& each : terms_) {
    if (each.held) counts_from.push_back(each.counts_from);
  }
  return MakeLimitShare(buckets_, std::move(counts_from));
}

void Leadership::ReviewTerm(uint32_t bucket, const BucketHolder& holder, bool as_member,
                            absl::Duration now) {
  Term& term = terms_[bucket];
  known_epochs_[bucket] = std::max(known_epochs_[bucket], holder.epoch);
  const bool free = holder.watcher.empty() && holder.clean;
  if (free && !term.free_since) term.free_since = now;
  const bool held = as_member && holder.watcher == identity_ && holder.epoch > term.lost_epoch;
  term.was_others |= !holder.watcher.empty() && holder.watcher != identity_;
  const bool raised = term.held && holder.epoch == term.raised_to;
  if (held && (!term.held || (holder.epoch != term.epoch && !raised))) {
    ++term.acquisitions;
    if (!term.held)
      term.counts_from = Inherits(term) ? -absl::InfiniteDuration() : now + limit_interval_;
    term.was_others = false;
    term.first_epoch = holder.epoch;
    term.fresh_since = term.free_since && holder.clean ? *term.free_since : now;
    term.quarantine_end = holder.clean ? -absl::InfiniteDuration() : now + quarantine_;
    acquired_.Add(bucket);
    ++figures_.moves["gained"];
    turn_.won = true;
  } else if (held && holder.epoch != term.epoch) {
    turn_.won = true;
  }
  if (term.held && !held) {
    turn_.lost = true;
    ++figures_.moves[yielding_.Contains(bucket) ? "yielded" : "lost"];
  }
  term.held = held;
  term.epoch = held ? holder.epoch : 0;
  if (!free) term.free_since.reset();
}

// Living members that take buckets, in the order of their identities.
std::vector<std::string> Leadership::Takers(bool with_self, absl::Duration now) const {
  std::vector<std::string> takers;
  for (const Member& each : members_.present()) {
    const bool takes =
        each.facts.buckets == buckets_ && !each.facts.leaving && now < each.expires_at;
    if (!takes || each.identity == identity_) continue;
    // A watcher holds two Leases for a moment if it did not learn that it had acquired the first.
    if (takers.empty() || takers.back() != each.identity) takers.push_back(each.identity);
  }
  if (with_self)
    takers.insert(std::lower_bound(takers.begin(), takers.end(), identity_), identity_);
  return takers;
}

// A watcher that is no member yet acts as if it were one, so that it knows what it will get.
void Leadership::ReviewTargets(absl::Duration now) {
  if (!members_.known() || !assignment_.known()) return;
  other_count_ = OtherCountInForce();
  alone_ = Takers(/*with_self=*/false, now).empty();
  const Assignment base = !other_count_ ? Base() : Assignment{std::vector<BucketHolder>(buckets_)};
  targets_ = !other_count_ ? Balance(base, Takers(!member_.leaving(), now))
                           : std::vector<std::string>(buckets_);
  BucketSet wanted(buckets_);
  const BucketSet unused = Unused();
  const AssignmentSituation at{base,  members_, targets_, known_epochs_, identity_,
                               false, unused,   idle_,    in_doubt_};
  figures_.unassigned = 0;
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    const bool own = targets_[bucket] == identity_;
    if (own || terms_[bucket].held) wanted.Add(bucket);
    if (!other_count_ && IsOrphan(at, bucket)) ++figures_.unassigned;
    SetYielding(bucket, terms_[bucket].held && !own);
  }
  if (figures_.unassigned == 0) {
    orphans_since_.reset();
  } else if (!orphans_since_) {
    orphans_since_ = now;
  }
  turn_at_ = orphans_since_.value_or(now) + Stagger(now);
  // A watcher that has lost its Lease keeps what it has until it is a member again.
  const bool stable = held_ || member_.acquisitions() == 0;
  if (stable && !member_.leaving()) wanted_ = std::move(wanted);
}

void Leadership::SetYielding(uint32_t bucket, bool yields) {
  if (yielding_.Contains(bucket) == yields) return;
  if (yields) {
    yielding_.Add(bucket);
    return;
  }
  yielding_.Remove(bucket);
  idle_.Remove(bucket);
  in_doubt_.Remove(bucket);
  turn_.won = true;
}

BucketSet Leadership::Unused() const {
  BucketSet unused(buckets_);
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    if (!terms_[bucket].held) unused.Add(bucket);
  }
  return unused;
}

// Without an assignment, a member without facts is a watcher of a version without assignments.
bool Leadership::OtherCountInForce() const {
  const Assignment& current = assignment_.current();
  if (current.count() == buckets_) return false;
  return std::any_of(members_.present().begin(), members_.present().end(), [&](const Member& each) {
    return each.identity != identity_ &&
           (each.facts.buckets == current.count() || !current.Of(each.identity).empty());
  });
}

// What the next assignment is made from: the present one, or one without holders.
Assignment Leadership::Base() const {
  const Assignment& current = assignment_.current();
  if (current.count() == buckets_) return current;
  Assignment base{std::vector<BucketHolder>(buckets_)};
  const bool clean =
      current.count() > 0 &&
      std::all_of(current.buckets.begin(), current.buckets.end(),
                  [](const BucketHolder& each) { return each.watcher.empty() && each.clean; });
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    base.buckets[bucket] = {"", std::max(current.HighestEpoch(), known_epochs_[bucket]), clean};
  }
  return base;
}

LeadershipFigures Leadership::Figures(absl::Duration now) const {
  LeadershipFigures figures = figures_;
  figures.buckets = buckets_;
  figures.leads = LeadsAny(now);
  figures.watchers = static_cast<uint32_t>(members_.present().size());
  return figures;
}

}  // namespace xebec::watcher
