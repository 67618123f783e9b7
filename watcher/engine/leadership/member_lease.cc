// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/member_lease.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/model/bucket.h"
#include "watcher/engine/leadership/lease_order.h"

namespace xebec::watcher {
namespace {

constexpr uint64_t kMaxTransitions = 0x7fffffff;  // leaseTransitions is an int32

}  // namespace

MemberLease::MemberLease(LeasePolicy policy, std::string identity, std::string instance,
                         MemberFacts facts)
    : policy_(policy),
      identity_(std::move(identity)),
      instance_(std::move(instance)),
      facts_(std::move(facts)) {
  facts_.kept = BucketSet(facts_.buckets);
}

void MemberLease::OnSeen(const LeaseSeen& seen, const Members& members, absl::Duration now,
                         Outputs* out) {
  if (IsOwnWrite(seen)) return OnOwnWrite(seen, now, out);
  if (!held_ || held_->lease != seen.lease || seen.holder == identity_) return;
  if (members.Unheld(seen.lease)) return Lose("another client released or deleted the Lease", out);
  std::string why = "held by " + seen.holder;
  if (BelongsTo(instance_, seen.holder)) {
    why += ": another process has the same instance (lease.instance), which only one may have";
  }
  Lose(why, out);
}

bool MemberLease::IsOwnWrite(const LeaseSeen& seen) const {
  if (!pending_ || pending_->lease != seen.lease) return false;
  if (pending_->kind == Kind::kRelease) return seen.holder != identity_;
  return seen.holder == identity_ && seen.transitions == pending_->transitions &&
         (pending_->kind == Kind::kAcquire || seen.renew_time != held_->renew_time);
}

void MemberLease::OnOwnWrite(const LeaseSeen& seen, absl::Duration now, Outputs* out) {
  Pending done = *std::exchange(pending_, std::nullopt);
  // This may be the result of an earlier write, and others count from that one.
  if (const auto doubt = in_doubt_.extract(done.lease)) done.sent = doubt.mapped();
  if (done.kind == Kind::kRelease) return held_.reset();
  if (now - done.sent >= policy_.renew_deadline) return;  // too late to rely on it
  if (!held_) {
    ++acquisitions_;
    out->push_back(
        LeaseNote(Note::Level::kInfo, "Lease acquired", absl::StrCat("member Lease ", done.lease)));
  }
  held_ = Held{.lease = done.lease,
               .transitions = done.transitions,
               .renewed_at = done.sent,
               .next_renew = soon_ ? now : done.sent + policy_.retry_period,
               .renew_time = seen.renew_time,
               .acquired_version = held_ ? held_->acquired_version : seen.resource_version};
}

void MemberLease::OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out) {
  if (!pending_ || pending_->lease != failed.lease) return;
  const Pending write = *pending_;
  const bool conflict = failed.failure.http_status == kConflict;
  if (!conflict) DropPending();
  pending_.reset();
  next_try_ = now + (conflict ? kAfterConflict : policy_.retry_period);
  const bool release = write.kind == Kind::kRelease;
  if (release && !conflict) held_.reset();
  if (conflict && write.kind == Kind::kAcquire) return;  // another watcher was faster
  out->push_back(LeaseNote(Note::Level::kWarning,
                           release ? "Lease not released" : "Lease write failed",
                           Describe(failed.failure)));
}

void MemberLease::Leave() {
  if (!std::exchange(facts_.leaving, true)) RenewSoon();
}

void MemberLease::Keep(BucketSet kept, bool soon) {
  facts_.kept = std::move(kept);
  if (soon) RenewSoon();
}

void MemberLease::RenewSoon() {
  soon_ = pending_.has_value();
  if (held_) held_->next_renew = -absl::InfiniteDuration();
}

void MemberLease::Release() { ended_ = true; }

void MemberLease::Consider(const Members& members, absl::Duration now, Outputs* out) {
  if (pending_ && now - pending_->sent >= policy_.renew_deadline) DropPending();  // no answer
  if (held_ && now - held_->renewed_at >= policy_.renew_deadline) {
    Lose("it could not be renewed in time", out);
  }
  if (pending_ || now < next_try_ || !members.known()) return;
  if (held_) {
    if (ended_) return Write(Kind::kRelease, held_->lease, members, now, out);
    if (now >= held_->next_renew) Write(Kind::kRenew, held_->lease, members, now, out);
    return;
  }
  if (ended_ || !joined_) return;
  if (const auto lease = Choose(members, now)) Write(Kind::kAcquire, *lease, members, now, out);
}

// A Lease of our own instance, else a free one, else one that has expired. Watchers that start
// together choose different ones.
std::optional<LeaseNumber> MemberLease::Choose(const Members& members, absl::Duration now) const {
  std::vector<LeaseNumber> free;
  std::optional<LeaseNumber> expired;
  for (LeaseNumber lease = 0; lease < kMemberLeases; ++lease) {
    const std::string& holder = members.at(lease).holder;
    if (members.Unheld(lease)) {
      free.push_back(lease);
    } else if (holder == identity_ || BelongsTo(ended(), holder)) {
      return lease;
    } else if (!expired && now >= members.ExpiresAt(lease)) {
      expired = lease;
    }
  }
  if (free.empty()) return expired;
  return free[BucketOf(identity_, static_cast<uint32_t>(free.size()))];
}

void MemberLease::Write(Kind kind, LeaseNumber lease, const Members& members, absl::Duration now,
                        Outputs* out) {
  const LeaseSeen& seen = members.at(lease);
  const bool acquire = kind == Kind::kAcquire;
  const uint64_t transitions =
      acquire ? std::min(seen.transitions + 1, kMaxTransitions) : held_->transitions;
  pending_ = Pending{kind, lease, now, transitions};
  soon_ = false;
  out->push_back(WriteLease{.lease = lease,
                            .create = !seen.exists,
                            .holder = kind == Kind::kRelease ? "" : identity_,
                            .transitions = transitions,
                            .duration = policy_.duration,
                            .acquire = acquire,
                            .content = EncodeMember(facts_),
                            .resource_version = seen.exists ? seen.resource_version : ""});
}

void MemberLease::Lose(const std::string& why, Outputs* out) {
  held_.reset();
  DropPending();
  out->push_back(LeaseNote(Note::Level::kWarning, "Lease lost", why));
}

void MemberLease::DropPending() {
  if (pending_) in_doubt_.try_emplace(pending_->lease, pending_->sent);
  pending_.reset();
}

absl::Duration MemberLease::NextDeadline(const Members& members) const {
  absl::Duration next = absl::InfiniteDuration();
  if (held_) next = std::min(next, held_->renewed_at + policy_.renew_deadline);
  if (pending_) return std::min(next, pending_->sent + policy_.renew_deadline);
  if (!members.known()) return next;
  if (held_) return std::min(next, std::max(next_try_, ended_ ? next_try_ : held_->next_renew));
  if (ended_ || !joined_) return next;
  for (LeaseNumber lease = 0; lease < kMemberLeases; ++lease) {
    const std::string& holder = members.at(lease).holder;
    const bool own = holder == identity_ || BelongsTo(ended(), holder);
    next = std::min(next, own ? next_try_ : std::max(next_try_, members.ExpiresAt(lease)));
  }
  return next;
}

std::string MemberLease::Explain(const Members& members) const {
  if (ended_ || facts_.leaving) return "this watcher is stopping";
  if (!members.known()) return "the Leases have not been read yet";
  if (!joined_) return "this watcher is not ready to take part yet";
  return "this watcher is acquiring a member Lease";
}

Note LeaseNote(Note::Level level, std::string what, std::string detail) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = std::move(detail);
  return note;
}

}  // namespace xebec::watcher
