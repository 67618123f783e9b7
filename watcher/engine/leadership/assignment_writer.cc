// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/assignment_writer.h"

#include <algorithm>

#include "watcher/engine/leadership/balance.h"
#include "watcher/engine/leadership/next_assignment.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kStagger = absl::Milliseconds(200);
// No bucket moves so often between two renewals, with which watchers tell the epochs that they
// know.
constexpr uint64_t kUntoldEpochs = 1'000;

// No epoch of an assignment that has been deleted was higher.
uint64_t LeastEpoch(const Members& members) {
  const uint64_t told = members.told().epoch;
  return told == 0 ? 0 : told + kUntoldEpochs;
}

}  // namespace

void AssignmentWriter::Review(const Situation& at, absl::Duration now) {
  other_count_ = OtherCountInForce(at);
  alone_ = Takers(at, /*with_self=*/false, now).empty();
  if (other_count_) {
    targets_.assign(buckets_, "");
    unassigned_ = 0;
    orphans_since_.reset();
  } else {
    const Assignment base = Base(at);
    targets_ = Balance(base, Takers(at, !at.leaving, now));
    CountOrphans(at, base, now);
  }
  turn_at_ = orphans_since_.value_or(now) + Delay(at, now);
}

void AssignmentWriter::CountOrphans(const Situation& at, const Assignment& base,
                                    absl::Duration now) {
  const BucketSet unheld = at.terms.Unheld(), none(buckets_);
  const AssignmentSituation situation{
      base, at.members, targets_, at.terms.known_epochs(), identity_, false, unheld, none, none};
  unassigned_ = 0;
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    if (IsOrphan(situation, bucket)) ++unassigned_;
  }
  if (unassigned_ == 0) {
    orphans_since_.reset();
  } else if (!orphans_since_) {
    orphans_since_ = now;
  }
}

std::optional<Assignment> AssignmentWriter::Next(const Situation& at, absl::Duration now) {
  if (!MayAssign(at) || !at.lease.MayWrite(now)) return std::nullopt;
  const bool my_turn = unassigned_ == 0 || now >= turn_at_;
  const Assignment base = Base(at);
  const BucketSet unheld = at.terms.Unheld(), in_doubt = at.terms.InDoubt(now);
  Assignment next = NextAssignment({base, at.members, targets_, at.terms.known_epochs(), identity_,
                                    my_turn, unheld, at.terms.idle(), in_doubt, at.terms.seen()});
  if (next != at.lease.current()) return next;
  if (my_turn) check_ = false;
  return std::nullopt;
}

absl::Duration AssignmentWriter::NextDeadline(const Situation& at) const {
  if (!MayAssign(at)) return absl::InfiniteDuration();
  const absl::Duration turn = unassigned_ > 0 ? turn_at_ : -absl::InfiniteDuration();
  return std::max(turn, at.lease.NextWrite());
}

AssignmentKnowledge AssignmentWriter::Knowledge(const Situation& at) const {
  const AssignmentKnowledge own = at.lease.knowledge();
  const bool usable = at.lease.last().count() == buckets_;
  return {usable ? own.version : 0, std::max(own.epoch, at.members.told().epoch)};
}

// A member that knows more knows who holds the buckets. A dead one is one until its Lease is
// released.
bool AssignmentWriter::OthersKnowMore(const Situation& at) const {
  if (at.lease.current().count() > 0) return false;
  const uint64_t known = at.lease.knowledge().version;
  const auto& present = at.members.present();
  return std::any_of(present.begin(), present.end(), [&](const Member& each) {
    const bool other = each.identity != identity_ && !BelongsTo(at.ended, each.identity);
    return other && each.facts.assignment.version > known;
  });
}

// Until the others know that this watcher is leaving, they would give the buckets back.
bool AssignmentWriter::MayAssign(const Situation& at) const {
  if (!check_ || other_count_ || OthersKnowMore(at)) return false;
  const Member* self = at.leaving ? at.members.Find(identity_) : nullptr;
  return self == nullptr || self->facts.leaving;
}

absl::Duration AssignmentWriter::Delay(const Situation& at, absl::Duration now) const {
  const std::vector<std::string> takers = Takers(at, /*with_self=*/true, now);
  const auto self = std::find(takers.begin(), takers.end(), identity_);
  return kStagger * static_cast<int64_t>(self - takers.begin());
}

std::vector<std::string> AssignmentWriter::Takers(const Situation& at, bool with_self,
                                                  absl::Duration now) const {
  std::vector<std::string> takers;
  for (const Member& each : at.members.present()) {
    const bool lives = now < each.expires_at && !BelongsTo(at.ended, each.identity);
    const bool takes = lives && each.facts.buckets == buckets_ && !each.facts.leaving;
    if (!takes || each.identity == identity_) continue;
    // A watcher holds two Leases for a moment if it did not learn that it had acquired the first.
    if (takers.empty() || takers.back() != each.identity) takers.push_back(each.identity);
  }
  if (with_self)
    takers.insert(std::lower_bound(takers.begin(), takers.end(), identity_), identity_);
  return takers;
}

// If no assignment was ever read, a member without facts is a watcher of a version without
// assignments. A member that says another number than the assignment holds none of its buckets:
// another client has edited it.
bool AssignmentWriter::OtherCountInForce(const Situation& at) const {
  const bool missing = at.lease.current().count() == 0;
  const Assignment& current = missing ? at.lease.last() : at.lease.current();
  if (current.count() == buckets_) return false;
  const auto& present = at.members.present();
  return std::any_of(present.begin(), present.end(), [&](const Member& each) {
    const uint32_t says = each.facts.buckets;
    const bool holds = says == 0 && !current.Of(each.identity).empty();
    return each.identity != identity_ && (says == current.count() || holds);
  });
}

Assignment AssignmentWriter::Base(const Situation& at) const {
  const Assignment& current = at.lease.current();
  if (current.count() == buckets_) return current;
  const bool deleted = current.count() == 0 && at.lease.last().count() == buckets_;
  return deleted ? Deleted(at) : WithoutHolders(at);
}

// Its holders may not know yet that it is missing, and go on. Only dead members have known more.
Assignment AssignmentWriter::Deleted(const Situation& at) const {
  Assignment base = at.lease.last();
  if (at.members.told().version <= at.lease.knowledge().version) return base;
  for (BucketHolder& each : base.buckets) {
    const bool dead = at.members.Find(each.watcher) == nullptr;
    if (dead) each.epoch = std::max(each.epoch, LeastEpoch(at.members));
  }
  return base;
}

Assignment AssignmentWriter::WithoutHolders(const Situation& at) const {
  const Assignment& current = at.lease.current();
  Assignment base{std::vector<BucketHolder>(buckets_)};
  const bool clean =
      current.count() > 0 && !at.lease.recounted() &&
      std::all_of(current.buckets.begin(), current.buckets.end(),
                  [](const BucketHolder& each) { return each.watcher.empty() && each.clean; });
  const uint64_t least = current.count() > 0 ? current.HighestEpoch() : LeastEpoch(at.members);
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    base.buckets[bucket] = {"", std::max(least, at.terms.known_epochs()[bucket]), clean};
  }
  return base;
}

}  // namespace xebec::watcher
