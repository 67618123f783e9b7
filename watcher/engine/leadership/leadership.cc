// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/leadership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/leadership/assignment_edits.h"

namespace xebec::watcher {
namespace {

// The buckets of other watchers whose Lease has expired. It may remain: its release may fail.
uint32_t CountExpired(const Assignment& assignment, const Members& members, const std::string& self,
                      absl::Duration now) {
  return std::count_if(
      assignment.buckets.begin(), assignment.buckets.end(), [&](const BucketHolder& each) {
        const Member* member = members.Find(each.watcher);
        return member != nullptr && each.watcher != self && now >= member->expires_at;
      });
}

std::vector<LeaseSeen> AbsentFrom(const LeasesSeen& list) {
  std::vector<bool> listed(kAssignmentLease + 1);
  for (const LeaseSeen& each : list.leases) listed[each.lease] = true;
  std::vector<LeaseSeen> absent;
  for (LeaseNumber lease = 0; lease <= kAssignmentLease; ++lease) {
    if (listed[lease]) continue;
    absent.push_back({.lease = lease, .resource_version = list.resource_version});
  }
  return absent;
}

std::string WaitsForOthers(uint32_t assigned, uint32_t own) {
  return absl::StrCat("the installation has ", assigned,
                      " buckets and this watcher is configured with ", own,
                      ": it waits until the watchers with ", assigned, " buckets have ended");
}

}  // namespace

Leadership::Leadership(const Options& options, const std::string& identity)
    : elects_(options.leader_election),
      buckets_(options.leader_election ? std::max(1u, options.buckets) : 1),
      identity_(identity),
      policy_{options.lease_duration, options.renew_deadline, options.retry_period},
      member_(policy_, identity, options.instance,
              {buckets_, options.address, false, {}, WorkOf(options)}),
      members_(options.lease_duration),
      dead_(policy_, identity),
      assignment_(policy_),
      writer_(buckets_, identity),
      work_(WorkOf(options), identity),
      terms_(buckets_, identity,
             {.quarantine = options.plan_life + kClockSkew + options.request_timeout,
              .limit_interval = options.deletion_interval}),
      moves_(identity, buckets_, options.move_timeout) {
  if (elects_) return;
  terms_.HoldAll();
  wanted_ = BucketSet::All(buckets_);
}

bool Leadership::Leads(uint32_t bucket, absl::Duration now) const {
  return !elects_ || (terms_.InForce(bucket) && member_.Holds(now));
}

bool Leadership::MayStart(uint32_t bucket, absl::Duration now) const {
  return Leads(bucket, now) && !terms_.yielding().Contains(bucket);
}

bool Leadership::LeadsAny(absl::Duration now) const {
  return !elects_ || (terms_.held() > 0 && member_.Holds(now));
}

uint64_t Leadership::Epoch(uint32_t bucket) const {
  return terms_.at(bucket).held ? terms_.at(bucket).epoch : 0;
}

std::vector<std::optional<DeclaredShares>> Leadership::OtherShares(absl::Duration now) const {
  std::vector<std::optional<DeclaredShares>> shares;
  for (const Member& each : members_.present()) {
    if (each.identity == identity_ || now >= each.expires_at) continue;
    shares.push_back(each.facts.declared);
  }
  return shares;
}

bool Leadership::AllAssigned(absl::Duration now) const {
  if (!elects_) return true;
  const Assignment& current = assignment_.current();
  return !members_.blind() && current.count() == buckets_ &&
         std::all_of(current.buckets.begin(), current.buckets.end(), [&](const BucketHolder& each) {
           const Member* member = members_.Find(each.watcher);
           return each.watcher == identity_ || (member != nullptr && now < member->expires_at);
         });
}

BucketSet Leadership::Assigned() const {
  return elects_ ? HeldBy(assignment_.current(), identity_, buckets_) : BucketSet::All(buckets_);
}

MembersView Leadership::View(const Instant& now) const {
  const uint32_t assigned = assignment_.current().count();
  const uint32_t count = elects_ && assigned > 0 ? assigned : buckets_;
  return ViewMembers(SelfView(count, now.monotonic), members_, assignment_.current(), work_,
                     policy_, now);
}

MemberView Leadership::SelfView(uint32_t count, absl::Duration now) const {
  MemberView self{.identity = identity_, .self = true};
  if (!elects_) {
    self.buckets = BucketSet::All(count);
    return self;
  }
  self.buckets = HeldBy(assignment_.current(), identity_, count);
  if (member_.leaving()) {
    self.state = MemberState::kLeaving;
  } else if (!held_ || writer_.other_count()) {
    self.state = MemberState::kWaiting;
    self.reason = Hindrance(0, now);
  }
  return self;
}

LeadershipFigures Leadership::Figures(absl::Duration now) const {
  return {.leads = LeadsAny(now),
          .buckets = buckets_,
          .held = elects_ ? terms_.held() : 0,
          .unassigned =
              writer_.unassigned() + CountExpired(assignment_.current(), members_, identity_, now),
          .watchers = static_cast<uint32_t>(members_.present().size()),
          .differing = held_ ? work_.differing() : 0,
          .moves = terms_.moves()};
}

void Leadership::Join(absl::Duration now, Outputs* out) {
  member_.Join();
  OnTick(now, out);
}

void Leadership::OnSeen(const LeasesSeen& seen, absl::Duration now, Outputs* out) {
  read_failure_.clear();
  const bool waited = writer_.other_count();
  for (const LeaseSeen& each : seen.leases) {
    TakeLease(each, now, out);
    // A later assignment in the same input may replace the statement of this one.
    if (each.lease == kAssignmentLease && !seen.complete) Review(now);
  }
  if (seen.complete) {
    if (std::string why = members_.OnVersion(seen.resource_version); !why.empty()) {
      out->push_back(LeaseNote(Note::Level::kError, "Lease versions regressed", std::move(why)));
    }
    for (const LeaseSeen& each : AbsentFrom(seen)) TakeLease(each, now, out);
    members_.OnListed(now);
    assignment_.OnListed();
  }
  assignment_.NoteUnknown(members_, out);
  if (held_) work_.Review(members_, now, out);
  Review(now);
  if (!waited && writer_.other_count()) {
    out->push_back(LeaseNote(Note::Level::kWarning, "Other number of buckets",
                             WaitsForOthers(assignment_.current().count(), buckets_)));
  }
  OnTick(now, out);
}

void Leadership::TakeLease(const LeaseSeen& seen, absl::Duration now, Outputs* out) {
  if (seen.lease == kAssignmentLease) {
    const bool in_use = member_.Holds(now) && !member_.leaving() && !Assigned().empty();
    assignment_.Take(seen, out);
    if (auto edit = DescribeRecount(buckets_, assignment_.current().count()); edit && in_use) {
      out->push_back(LeaseNote(Note::Level::kWarning, "Assignment edited", *std::move(edit)));
    }
  } else if (members_.Take(seen, now)) {
    dead_.OnSeen(seen.lease);
    member_.OnSeen(seen, members_, now, out);
  }
}

void Leadership::OnReadFailed(const LeasesReadFailed& failed, Outputs* out) {
  members_.OnReadFailed();
  std::string description = Describe(failed.failure);
  if (description == read_failure_) return;
  read_failure_ = description;
  out->push_back(LeaseNote(Note::Level::kWarning, "Lease not read", std::move(description)));
}

void Leadership::OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out) {
  if (failed.lease == kAssignmentLease) {
    assignment_.OnWriteFailed(failed.failure, now, out);
    writer_.Recheck();
  } else if (!dead_.OnWriteFailed(failed.lease)) {
    member_.OnWriteFailed(failed, now, out);
  }
  OnTick(now, out);
}

void Leadership::OnHigherEpoch(uint32_t bucket, uint64_t epoch, absl::Duration now, Outputs* out) {
  if (epoch >= kHighestReadableEpoch) {
    out->push_back(LeaseNote(Note::Level::kError, "Epoch out of range",
                             absl::StrCat("an applier claims epoch ", epoch, "; ignored")));
    return;
  }
  if (bucket >= buckets_ || epoch <= terms_.known_epochs()[bucket]) return;
  if (!elects_) return terms_.RaiseEpoch(bucket, epoch);
  if (terms_.OnHigherEpoch(bucket, epoch)) {
    out->push_back(LeaseNote(Note::Level::kWarning, "Epoch raised",
                             absl::StrCat("an applier reported epoch ", epoch, " of bucket ",
                                          bucket, ", ours is ", Epoch(bucket))));
  }
  writer_.Recheck();
  OnTick(now, out);
}

void Leadership::Yield(const BucketSet& idle, const BucketSet& in_doubt, Terms::See see,
                       absl::Duration now, Outputs* out) {
  if (!terms_.SetIdle(idle, in_doubt, see)) return;
  writer_.Recheck();
  OnTick(now, out);
}

void Leadership::Keep(BucketSet kept, absl::Duration now, Outputs* out) {
  if (!elects_ || kept == member_.kept()) return;
  bool awaited = false;
  for (const uint32_t bucket : kept.ToVector()) {
    awaited |= !member_.kept().Contains(bucket) && !terms_.at(bucket).held;
  }
  member_.Keep(std::move(kept), awaited);
  if (awaited) OnTick(now, out);
}

void Leadership::Leave(absl::Duration now, Outputs* out) {
  member_.Leave();
  Review(now);
  OnTick(now, out);
}

bool Leadership::Release(absl::Duration now, Outputs* out) {
  if (!elects_) return true;
  releasing_ = true;
  OnTick(now, out);
  return member_.Released();
}

Leadership::Turn Leadership::TakeTurn(absl::Duration now) {
  Turn turn = terms_.TakeChanges();
  const bool leads = LeadsAny(now);
  if (led_ && !leads) turn.lost = true;
  if (!led_ && leads) turn.won = true;
  led_ = leads;
  return turn;
}

// What the Leases mean for the buckets of this watcher. A watcher that was no member for some time
// begins new terms.
void Leadership::Review(absl::Duration now) {
  if (!elects_) return;
  const bool held = member_.Holds(now);
  if (std::exchange(held_, held) && !held) terms_.EndMembership();
  dead_.Recheck();
  member_.Know(writer_.Knowledge(Situation()));
  terms_.Review(assignment_.current(), held_ && AssignedAsMember(), writer_.alone(), now);
  ReviewTargets(now);
  writer_.Recheck();
}

// Before this watcher became a member, others could take its buckets, and the assignment that it
// has seen may be older than that.
bool Leadership::AssignedAsMember() const {
  const auto order =
      kube::CompareVersions(assignment_.resource_version(), member_.acquired_version());
  return !order.has_value() || *order > 0;
}

void Leadership::ReviewTargets(absl::Duration now) {
  if (!members_.known() || !assignment_.known()) return;
  writer_.Review(Situation(), now);
  moves_.Review(terms_, writer_.targets(), members_, member_.leaving(), now);
  terms_.SetTargets(writer_.targets(), moves_.waiting());
  // A watcher that has lost its Lease keeps what it has until it is a member again.
  const bool stable = held_ || member_.acquisitions() == 0;
  if (!stable || member_.leaving()) return;
  wanted_ = BucketSet(buckets_);
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    if (writer_.targets()[bucket] == identity_ || terms_.at(bucket).held) wanted_->Add(bucket);
  }
}

void Leadership::OnTick(absl::Duration now, Outputs* out) {
  if (!elects_) return;
  const absl::Duration before = std::exchange(considered_at_, now);
  if (held_ && now - before >= policy_.renew_deadline) members_.OnPaused(now);
  member_.Consider(members_, now, out);
  if (member_.Holds(now) != held_) Review(now);
  if (now >= moves_.NextDeadline()) ReviewTargets(now);
  if (held_) WriteLeases(now, out);
  if (!releasing_) return;
  const bool handed_over = terms_.held() == 0 || assignment_.failures() > 0;
  if (held_ && !handed_over) return;
  member_.Release();
  member_.Consider(members_, now, out);
}

void Leadership::WriteLeases(absl::Duration now, Outputs* out) {
  if (now >= dead_.NextDeadline() &&
      dead_.Release(members_, member_.lease(), writer_.Delay(Situation(), now), now, out)) {
    ReviewTargets(now);
    writer_.Recheck();
  }
  const auto next = writer_.Next(Situation(), now);
  if (!next) return;
  terms_.OnAssign(*next);
  assignment_.Write(*next, identity_, members_.told().version, now, out);
}

absl::Duration Leadership::NextDeadline() const {
  if (!elects_) return absl::InfiniteDuration();
  const absl::Duration next = member_.NextDeadline(members_);
  if (!held_) return next;
  return std::min(
      {next, dead_.NextDeadline(), writer_.NextDeadline(Situation()), moves_.NextDeadline()});
}

std::string Leadership::Hindrance(uint32_t bucket, absl::Duration now) const {
  if (Leads(bucket, now)) {
    return MayStart(bucket, now) ? "" : absl::StrCat("bucket ", bucket, " is being handed over");
  }
  if (!held_) return member_.Explain(members_);
  const Assignment& current = assignment_.current();
  if (writer_.other_count()) {
    return WaitsForOthers(current.count(), buckets_);
  }
  if (terms_.at(bucket).held)
    return absl::StrCat("the epoch of bucket ", bucket, " is being raised");
  if (current.count() != buckets_) return "the assignment is being written";
  const std::string& holder = current.buckets[bucket].watcher;
  if (holder.empty() || holder == identity_ || members_.Find(holder) == nullptr) {
    return absl::StrCat("bucket ", bucket, " is being assigned");
  }
  return absl::StrCat("bucket ", bucket, " is held by ", holder);
}

}  // namespace xebec::watcher
