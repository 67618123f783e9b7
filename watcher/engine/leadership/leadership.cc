// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/leadership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/leadership/balance.h"
#include "watcher/engine/leadership/next_assignment.h"

namespace xebec::watcher {
namespace {

// Members act on dead ones one after the other, so that most of them have nothing left to do.
constexpr absl::Duration kStagger = absl::Milliseconds(200);

}  // namespace

Leadership::Leadership(const Options& options, const std::string& identity)
    : elects_(options.leader_election),
      buckets_(options.leader_election ? std::max(1u, options.buckets) : 1),
      identity_(identity),
      quarantine_(options.plan_life + kClockSkew + options.request_timeout),
      limit_interval_(options.deletion_interval),
      policy_{options.lease_duration, options.renew_deadline, options.retry_period},
      member_(policy_, identity, options.instance,
              {buckets_, options.address, false, {}, WorkOf(options)}),
      members_(options.lease_duration),
      assignment_(policy_),
      work_(WorkOf(options), identity),
      terms_(buckets_),
      targets_(buckets_),
      known_epochs_(buckets_),
      acquired_(buckets_),
      yielding_(buckets_),
      idle_(buckets_),
      in_doubt_(buckets_) {
  if (elects_) return;
  terms_[0].held = true;
  terms_[0].epoch = 1;
  wanted_ = BucketSet::All(buckets_);
}

bool Leadership::Leads(uint32_t bucket, absl::Duration now) const {
  if (!elects_) return true;
  const Term& term = terms_[bucket];
  return term.held && term.epoch >= known_epochs_[bucket] && member_.Holds(now);
}

bool Leadership::MayStart(uint32_t bucket, absl::Duration now) const {
  return Leads(bucket, now) && !yielding_.Contains(bucket);
}

bool Leadership::LeadsAny(absl::Duration now) const {
  return !elects_ || (figures_.held > 0 && member_.Holds(now));
}

uint64_t Leadership::Epoch(uint32_t bucket) const {
  return terms_[bucket].held ? terms_[bucket].epoch : 0;
}

void Leadership::Join(absl::Duration now, Outputs* out) {
  member_.Join();
  Consider(now, out);
}

void Leadership::OnSeen(const LeasesSeen& seen, absl::Duration now, Outputs* out) {
  read_failure_.clear();
  for (const LeaseSeen& each : seen.leases) TakeLease(each, now, out);
  if (seen.complete) {
    TakeAbsent(seen, now, out);
    members_.OnListed(now);
    assignment_.OnListed();
  }
  if (held_) work_.Review(members_, now, out);
  Review(now);
  Consider(now, out);
}

void Leadership::TakeLease(const LeaseSeen& seen, absl::Duration now, Outputs* out) {
  if (seen.lease == kAssignmentLease) {
    assignment_.Take(seen, out);
  } else if (members_.Take(seen, now)) {
    deposed_.erase(seen.lease);
    member_.OnSeen(seen, members_, now, out);
  }
}

void Leadership::TakeAbsent(const LeasesSeen& list, absl::Duration now, Outputs* out) {
  std::vector<bool> listed(kAssignmentLease + 1);
  for (const LeaseSeen& each : list.leases) listed[each.lease] = true;
  for (LeaseNumber lease = 0; lease <= kAssignmentLease; ++lease) {
    if (listed[lease]) continue;
    LeaseSeen absent;
    absent.lease = lease;
    absent.resource_version = list.resource_version;
    TakeLease(absent, now, out);
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
    check_ = true;
  } else if (deposed_.erase(failed.lease) == 0) {
    member_.OnWriteFailed(failed, now, out);
  }
  Consider(now, out);
}

void Leadership::OnTick(absl::Duration now, Outputs* out) { Consider(now, out); }

void Leadership::OnHigherEpoch(uint32_t bucket, uint64_t epoch, absl::Duration now, Outputs* out) {
  if (epoch >= kMaxEpoch) {
    out->push_back(LeaseNote(Note::Level::kError, "Epoch out of range",
                             absl::StrCat("an applier claims epoch ", epoch, "; ignored")));
    return;
  }
  if (bucket >= buckets_ || epoch <= known_epochs_[bucket]) return;
  known_epochs_[bucket] = epoch;
  if (!elects_) {
    terms_[bucket].epoch = std::max(terms_[bucket].epoch, epoch);
    return;
  }
  if (terms_[bucket].held && epoch > terms_[bucket].epoch) {
    turn_.lost = true;
    out->push_back(LeaseNote(Note::Level::kWarning, "Epoch raised",
                             absl::StrCat("an applier reported epoch ", epoch, " of bucket ",
                                          bucket, ", ours is ", terms_[bucket].epoch)));
  }
  check_ = true;
  Consider(now, out);
}

void Leadership::Yield(const BucketSet& idle, const BucketSet& in_doubt, absl::Duration now,
                       Outputs* out) {
  if (idle == idle_ && in_doubt == in_doubt_) return;
  idle_ = idle;
  in_doubt_ = in_doubt;
  check_ = true;
  Consider(now, out);
}

void Leadership::Leave(absl::Duration now, Outputs* out) {
  member_.Leave();
  Review(now);
  Consider(now, out);
}

bool Leadership::Release(absl::Duration now, Outputs* out) {
  if (!elects_) return true;
  releasing_ = true;
  Consider(now, out);
  return member_.Released();
}

BucketSet Leadership::TakeAcquired() { return std::exchange(acquired_, BucketSet(buckets_)); }

Leadership::Turn Leadership::TakeTurn(absl::Duration now) {
  const bool leads = LeadsAny(now);
  if (led_ && !leads) turn_.lost = true;
  if (!led_ && leads) turn_.won = true;
  led_ = leads;
  return std::exchange(turn_, {});
}

// Acts on what is known. Costs nothing while nothing has changed and nothing is due.
void Leadership::Consider(absl::Duration now, Outputs* out) {
  if (!elects_) return;
  const absl::Duration before = std::exchange(considered_at_, now);
  if (held_ && now - before >= policy_.renew_deadline) members_.OnPaused(now);
  member_.Consider(members_, now, out);
  if (member_.Holds(now) != held_) Review(now);
  if (held_) {
    Depose(now, out);
    Assign(now, out);
  }
  if (!releasing_) return;
  const bool handed_over = figures_.held == 0 || assignment_.failures() > 0;
  if (held_ && !handed_over) return;
  member_.Release();
  member_.Consider(members_, now, out);
}

void Leadership::Depose(absl::Duration now, Outputs* out) {
  if (now < depose_at_) return;
  depose_at_ = absl::InfiniteDuration();
  const absl::Duration stagger = Stagger(now);
  bool any_dead = false;
  for (const Member& each : members_.present()) {
    if (each.lease == member_.lease()) continue;
    const bool own = each.identity == identity_;  // acquired without an answer
    const auto sent = deposed_.find(each.lease);
    absl::Duration due = own ? now : members_.ExpiresAt(each.lease) + stagger;
    if (sent != deposed_.end()) due = std::max(due, sent->second + policy_.renew_deadline);
    if (now < due) {
      depose_at_ = std::min(depose_at_, due);
      continue;
    }
    deposed_[each.lease] = now;
    depose_at_ = std::min(depose_at_, now + policy_.renew_deadline);
    const LeaseSeen& lease = members_.at(each.lease);
    if (!own) {
      any_dead = true;
      out->push_back(LeaseNote(Note::Level::kWarning, "Watcher dead",
                               absl::StrCat(each.identity, " has not renewed its Lease")));
    }
    out->push_back(WriteLease{.lease = each.lease,
                              .holder = "",
                              .transitions = lease.transitions,
                              .duration = policy_.duration,
                              .resource_version = lease.resource_version});
  }
  if (!any_dead) return;
  ReviewTargets(now);
  check_ = true;
}

// Until the others know that this watcher is leaving, they would give the buckets back.
bool Leadership::LeavesUnseen() const {
  const Member* self = members_.Find(identity_);
  return member_.leaving() && self != nullptr && !self->facts.leaving;
}

void Leadership::Assign(absl::Duration now, Outputs* out) {
  if (!MayAssign() || !assignment_.MayWrite(now)) return;
  const bool my_turn = figures_.unassigned == 0 || now >= turn_at_;
  const Assignment base = Base();
  const BucketSet unused = Unused();
  BucketSet doubtful = in_doubt_;
  for (const uint32_t bucket : idle_.ToVector()) {
    // The next holder waits as long as this watcher would have waited for its predecessor's plans.
    if (now < terms_[bucket].quarantine_end) doubtful.Add(bucket);
  }
  const Assignment next = NextAssignment(
      {base, members_, targets_, known_epochs_, identity_, my_turn, unused, idle_, doubtful});
  if (next == assignment_.current()) {
    if (my_turn) check_ = false;
    return;
  }
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    const BucketHolder& holder = next.buckets[bucket];
    if (holder.watcher == identity_) terms_[bucket].raised_to = holder.epoch;
    // Even if the answer is lost: a bucket that may be another watcher's is not led any more.
    known_epochs_[bucket] = std::max(known_epochs_[bucket], holder.epoch);
  }
  assignment_.Write(next, identity_, now, out);
}

absl::Duration Leadership::Stagger(absl::Duration now) const {
  const std::vector<std::string> takers = Takers(/*with_self=*/true, now);
  const auto self = std::find(takers.begin(), takers.end(), identity_);
  return kStagger * static_cast<int64_t>(self - takers.begin());
}

absl::Duration Leadership::NextDeadline() const {
  if (!elects_) return absl::InfiniteDuration();
  absl::Duration next = member_.NextDeadline(members_);
  if (!held_) return next;
  next = std::min(next, depose_at_);
  if (!MayAssign()) return next;
  const absl::Duration turn = figures_.unassigned > 0 ? turn_at_ : -absl::InfiniteDuration();
  return std::min(next, std::max(turn, assignment_.NextWrite()));
}

std::string Leadership::Hindrance(uint32_t bucket, absl::Duration now) const {
  if (Leads(bucket, now)) {
    return yielding_.Contains(bucket) ? absl::StrCat("bucket ", bucket, " is being handed over")
                                      : "";
  }
  if (!held_) return member_.Explain(members_);
  if (other_count_) {
    return absl::StrCat("the installation has ", assignment_.current().count(),
                        " buckets and this watcher is configured with ", buckets_,
                        ": it waits until the watchers with ", assignment_.current().count(),
                        " buckets have ended");
  }
  if (terms_[bucket].held) return absl::StrCat("the epoch of bucket ", bucket, " is being raised");
  if (assignment_.current().count() != buckets_) return "the assignment is being written";
  const std::string& holder = assignment_.current().buckets[bucket].watcher;
  if (holder.empty() || holder == identity_ || members_.Find(holder) == nullptr) {
    return absl::StrCat("bucket ", bucket, " is being assigned");
  }
  return absl::StrCat("bucket ", bucket, " is held by ", holder);
}

}  // namespace xebec::watcher
