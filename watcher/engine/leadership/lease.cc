// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/lease.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

constexpr uint64_t kMaxTransitions = 0x7fffffff;  // leaseTransitions is an int32
constexpr int kConflict = 409;
constexpr absl::Duration kShortLife = absl::Seconds(1);  // the shortest duration of a Lease

auto Fields(const LeaseSeen& s) {
  return std::tie(s.exists, s.holder, s.transitions, s.duration, s.renew_time);
}

bool Older(const LeaseSeen& a, const LeaseSeen& b) {
  if (!a.exists || !b.exists) return false;
  const auto order = kube::CompareVersions(a.resource_version, b.resource_version);
  return order.has_value() && *order < 0;
}

}  // namespace

LeaseElector::LeaseElector(LeasePolicy policy, std::string identity, std::string instance,
                           uint32_t bucket)
    : policy_(policy),
      identity_(std::move(identity)),
      instance_(std::move(instance)),
      bucket_(bucket) {}

bool LeaseElector::operator==(const LeaseElector& o) const {
  const auto state = [](const LeaseElector& e) {
    return std::tie(e.policy_, e.identity_, e.instance_, e.bucket_, e.changed_at_, e.released_at_,
                    e.known_epoch_, e.pending_, e.holds_, e.next_try_, e.acquisitions_, e.ended_,
                    e.release_wanted_, e.clean_release_, e.outdated_release_, e.release_tried_,
                    e.read_failure_);
  };
  const bool same_seen = seen_.has_value() == o.seen_.has_value() &&
                         (!seen_ || (Fields(*seen_) == Fields(*o.seen_) &&
                                     seen_->resource_version == o.seen_->resource_version));
  return state(*this) == state(o) && same_seen;
}

void LeaseElector::OnSeen(const LeaseSeen& seen, absl::Duration now, Outputs* out) {
  read_failure_.clear();
  if (seen_ && Older(seen, *seen_)) return;
  const bool changed = !seen_ || Fields(seen) != Fields(*seen_);
  seen_ = seen;
  if (changed) {
    changed_at_ = now;
    const bool released = seen.exists && seen.holder.empty();
    released_at_ = released ? std::optional(now) : std::nullopt;  // whoever held it last
  }
  known_epoch_ = std::max(known_epoch_, std::min(seen.transitions, kMaxTransitions - 1));
  const bool mine = seen.exists && seen.holder == identity_;
  const bool given_up = !mine || seen.duration == kShortLife;
  if (pending_ && pending_->kind == Kind::kRelease && given_up) {
    pending_.reset();
    holds_.reset();
  }
  if (outdated_release_ && *outdated_release_ != seen.resource_version) {
    outdated_release_.reset();
    release_wanted_ = true;
  }
  if (mine && changed && pending_ && pending_->kind != Kind::kRelease &&
      seen.transitions == pending_->transitions) {
    Acquired(now, out);
  } else if (holds_ && !mine) {
    Lose(seen.exists ? absl::StrCat("held by ", seen.holder.empty() ? "nobody" : seen.holder)
                     : "the Lease was deleted",
         out);
  }
  Consider(now, out);
}

void LeaseElector::Acquired(absl::Duration now, Outputs* out) {
  const Pending done = *pending_;
  pending_.reset();
  if (now - done.sent >= policy_.renew_deadline) return;  // too late to rely on it
  if (holds_) {
    holds_->epoch = done.transitions;
    holds_->renewed_at = done.sent;
    holds_->next_renew = done.sent + policy_.retry_period;
    return;
  }
  holds_ = Held{.epoch = done.transitions,
                .renewed_at = done.sent,
                .next_renew = done.sent + policy_.retry_period,
                .acquired_at = now,
                .fresh_since = done.clean ? done.fresh_since : now,
                .clean = done.clean};
  ++acquisitions_;
  AddNote(Note::Level::kInfo, "Lease acquired", absl::StrCat("epoch ", done.transitions), out);
}

void LeaseElector::OnWriteFailed(const ApiFailure& failure, absl::Duration now, Outputs* out) {
  if (!pending_) return;
  const Pending failed = *std::exchange(pending_, std::nullopt);
  const bool release = failed.kind == Kind::kRelease;
  next_try_ = now + policy_.retry_period;
  if (release) ReleaseFailed(failure, failed.version);
  AddNote(Note::Level::kWarning, release ? "Lease not released" : "Lease write failed",
          Describe(failure), out);
  Consider(now, out);
}

/// A renewal with a lost response may have succeeded meanwhile: retry once from its result.
void LeaseElector::ReleaseFailed(const ApiFailure& failure, const std::string& version) {
  const bool first = !std::exchange(release_tried_, true);
  if (!first || failure.http_status != kConflict) return holds_.reset();
  if (seen_ && seen_->resource_version != version) {
    release_wanted_ = true;
  } else {
    outdated_release_ = version;
  }
}

void LeaseElector::OnReadFailed(const ApiFailure& failure, Outputs* out) {
  std::string description = Describe(failure);
  if (description == read_failure_) return;
  read_failure_ = description;
  AddNote(Note::Level::kWarning, "Lease not read", std::move(description), out);
}

void LeaseElector::OnTick(absl::Duration now, Outputs* out) { Consider(now, out); }

void LeaseElector::OnHigherEpoch(uint64_t epoch, absl::Duration now, Outputs* out) {
  if (epoch >= kMaxTransitions) {
    return AddNote(Note::Level::kError, "Epoch out of range",
                   absl::StrCat("an applier claims epoch ", epoch, "; ignored"), out);
  }
  if (epoch <= known_epoch_) return;
  known_epoch_ = epoch;
  if (!ended_ && NeedsLift()) {
    AddNote(Note::Level::kWarning, "Lease epoch raised",
            absl::StrCat("an applier reported epoch ", epoch, ", ours is ", holds_->epoch), out);
  }
  Consider(now, out);
}

void LeaseElector::Release(bool clean, absl::Duration now, Outputs* out) {
  if (ended_) return;
  const bool acquires = pending_ && pending_->kind == Kind::kAcquire && !holds_;
  release_wanted_ = holds_ || acquires;
  clean_release_ = clean && (Leads(now) || (acquires && pending_->clean));
  ended_ = true;
  Consider(now, out);
}

bool LeaseElector::Leads(absl::Duration now) const {
  return holds_ && !ended_ && !NeedsLift() && now - holds_->renewed_at < policy_.renew_deadline;
}

bool LeaseElector::Unheld() const {
  const std::string& holder = seen_->holder;
  return !seen_->exists || holder.empty() || holder == identity_ ||
         (!instance_.empty() && absl::StartsWith(holder, instance_));
}

bool LeaseElector::Free(absl::Duration now) const { return Unheld() || now >= ExpiresAt(); }

absl::Duration LeaseElector::ExpiresAt() const {
  // A Lease without a valid duration is assumed to have ours.
  const bool sensible = seen_->duration > absl::ZeroDuration() && seen_->duration <= absl::Hours(1);
  return changed_at_ + (sensible ? seen_->duration : policy_.duration);
}

void LeaseElector::Consider(absl::Duration now, Outputs* out) {
  if (pending_ && now - pending_->sent >= policy_.renew_deadline)
    pending_.reset();  // never answered
  if (holds_ && now - holds_->renewed_at >= policy_.renew_deadline) {
    Lose("it could not be renewed in time", out);
  }
  if (pending_ || !seen_) return;
  if (ended_) return ConsiderRelease(now, out);
  if (holds_) return ConsiderHeld(now, out);
  if (Free(now) && now >= next_try_) Write(Kind::kAcquire, known_epoch_ + 1, now, out);
}

void LeaseElector::ConsiderHeld(absl::Duration now, Outputs* out) {
  if (now < next_try_) return;
  if (NeedsLift()) return Write(Kind::kAcquire, known_epoch_ + 1, now, out);
  if (now >= holds_->next_renew) Write(Kind::kRenew, holds_->epoch, now, out);
}

void LeaseElector::ConsiderRelease(absl::Duration now, Outputs* out) {
  if (std::exchange(release_wanted_, false) && holds_) {
    Write(Kind::kRelease, holds_->epoch, now, out);
  }
}

void LeaseElector::Write(Kind kind, uint64_t transitions, absl::Duration now, Outputs* out) {
  const bool release = kind == Kind::kRelease;
  pending_ = Pending{kind,
                     now,
                     transitions,
                     released_at_.has_value(),
                     seen_->resource_version,
                     released_at_.value_or(now)};
  out->push_back(WriteLease{.bucket = bucket_,
                            .create = !seen_->exists,
                            .holder = release && clean_release_ ? "" : identity_,
                            .transitions = transitions,
                            .duration = release ? kShortLife : policy_.duration,
                            .acquire = kind == Kind::kAcquire,
                            .resource_version = seen_->resource_version});
}

void LeaseElector::Lose(const std::string& why, Outputs* out) {
  holds_.reset();
  pending_.reset();
  release_wanted_ = false;
  outdated_release_.reset();
  AddNote(Note::Level::kWarning, "Lease lost", why, out);
}

absl::Duration LeaseElector::NextDeadline() const {
  absl::Duration next = absl::InfiniteDuration();
  if (holds_) next = std::min(next, holds_->renewed_at + policy_.renew_deadline);
  if (pending_) return std::min(next, pending_->sent + policy_.renew_deadline);
  if (ended_ || !seen_) return next;
  if (holds_)
    return std::min(next, std::max(next_try_, NeedsLift() ? next_try_ : holds_->next_renew));
  return Unheld() ? next_try_ : std::max(next_try_, ExpiresAt());
}

std::string LeaseElector::Explain(absl::Duration now) const {
  if (Leads(now)) return absl::StrCat("this watcher leads, epoch ", epoch());
  if (ended_) return "this watcher is stopping";
  if (!seen_) return "the Lease has not been read yet";
  if (Unheld()) return "the Lease is being acquired";
  return absl::StrCat("the Lease is held by ", seen_->holder);
}

void LeaseElector::AddNote(Note::Level level, std::string what, std::string detail, Outputs* out) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = std::move(detail);
  out->push_back(std::move(note));
}

}  // namespace xebec::watcher
