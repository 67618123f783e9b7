// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/terms.h"

#include <algorithm>
#include <utility>

#include "common/kube/resource_version.h"
#include "watcher/engine/leadership/assignment_edits.h"

namespace xebec::watcher {
namespace {

/// What is true of both statements.
SeenVersions LaterOfBoth(const SeenVersions& a, const SeenVersions& b) {
  SeenVersions both;
  for (const auto& [resource, version] : a) {
    const auto other = b.find(resource);
    const auto order =
        other == b.end() ? std::nullopt : kube::CompareVersions(version, other->second);
    if (order) both[resource] = *order < 0 ? other->second : version;
  }
  return both;
}

}  // namespace

Terms::Terms(uint32_t buckets, std::string identity, const Times& times)
    : identity_(std::move(identity)),
      times_(times),
      terms_(buckets),
      known_epochs_(buckets),
      acquired_{BucketSet(buckets)},
      yielding_(buckets),
      idle_(buckets),
      in_doubt_(buckets) {}

BucketSet Terms::Unheld() const {
  BucketSet unheld(buckets());
  for (uint32_t bucket = 0; bucket < buckets(); ++bucket) {
    if (!terms_[bucket].held) unheld.Add(bucket);
  }
  return unheld;
}

bool Terms::InForce(uint32_t bucket) const {
  return terms_[bucket].held && terms_[bucket].epoch >= known_epochs_[bucket];
}

LimitShare Terms::Share() const {
  std::vector<absl::Duration> counts_from;
  for (const Term& each : terms_) {
    if (each.held) counts_from.push_back(each.counts_from);
  }
  return MakeLimitShare(buckets(), std::move(counts_from));
}

void Terms::HoldAll() {
  for (Term& each : terms_) {
    each.held = true;
    each.epoch = 1;
  }
  held_ = buckets();
}

void Terms::Review(const Assignment& assignment, bool member, bool alone, absl::Duration now) {
  const bool valid = assignment.count() == buckets();
  const bool repeated = std::exchange(last_statement_, assignment.seen) == assignment.seen;
  bool stated = false;
  held_ = 0;
  for (uint32_t bucket = 0; bucket < buckets(); ++bucket) {
    const BucketHolder holder =
        valid ? Accept(bucket, assignment.buckets[bucket], repeated) : BucketHolder{"", 0, false};
    stated |= ReviewTerm(bucket, holder, member, alone, now);
    if (terms_[bucket].held) ++held_;
  }
  if (stated) TakeStatement(assignment.seen);
  held_any_ |= held_ > 0;
}

// The plans of two holders could not be told apart, so no epoch up to this one is used. Those of
// the holder before may still be running. The watcher that gives the bucket away may not know that.
BucketHolder Terms::Accept(uint32_t bucket, BucketHolder holder, bool repeated) {
  std::optional<BucketHolder>& seen = terms_[bucket].seen;
  // Another client moved the bucket, and the statement is about an earlier move.
  if (repeated && seen && seen->stated && seen->epoch != holder.epoch) holder.stated = false;
  if (seen && MovedByHand(*seen, holder)) {
    known_epochs_[bucket] = std::max(known_epochs_[bucket], seen->epoch + 1);
    holder.clean = holder.stated = false;
  } else if (seen && seen->watcher.empty() && holder.epoch <= seen->epoch + 1) {
    holder.clean &= seen->clean;
  }
  seen = holder;
  return holder;
}

bool Terms::ReviewTerm(uint32_t bucket, const BucketHolder& holder, bool member, bool alone,
                       absl::Duration now) {
  Term& term = terms_[bucket];
  known_epochs_[bucket] = std::max(known_epochs_[bucket], holder.epoch);
  const bool free = holder.watcher.empty() && holder.clean;
  if (free && (!term.free_since || term.free_epoch != holder.epoch)) {
    term.free_since = now;
    term.free_epoch = holder.epoch;
  }
  const bool held = member && holder.watcher == identity_ && holder.epoch > term.lost_epoch;
  term.was_others |= !holder.watcher.empty() && holder.watcher != identity_;
  const bool raised = term.held && holder.epoch == term.raised_to;
  if (held && (!term.held || holder.epoch != term.epoch)) changes_.won = true;
  const bool begins = held && (!term.held || (holder.epoch != term.epoch && !raised));
  if (begins) Begin(bucket, holder, alone, now);
  if (term.held && !held) {
    changes_.lost = true;
    ++moves_[yielding_.Contains(bucket) ? "yielded" : "lost"];
  }
  term.held = held;
  term.epoch = held ? holder.epoch : 0;
  if (!free) term.free_since.reset();
  return begins && term.freshness.stated;
}

// Limits of the installation are not used twice when a bucket moves. What the only watcher has used
// is forgotten when it ends. Between the epoch of a free bucket and the next one, nobody plans it.
void Terms::Begin(uint32_t bucket, const BucketHolder& holder, bool alone, absl::Duration now) {
  Term& term = terms_[bucket];
  ++term.acquisitions;
  const bool inherits = alone && (!held_any_ || !term.was_others);
  if (!term.held)
    term.counts_from = inherits ? -absl::InfiniteDuration() : now + times_.limit_interval;
  term.was_others = false;
  term.first_epoch = holder.epoch;
  const bool was_free = term.free_since && holder.epoch == term.free_epoch + 1;
  term.freshness.since = was_free && holder.clean ? *term.free_since : now;
  term.freshness.stated = holder.stated && holder.clean;
  term.quarantine_end = holder.clean ? -absl::InfiniteDuration() : now + times_.quarantine;
  idle_.Remove(bucket);  // others may have planned it meanwhile
  in_doubt_.Remove(bucket);
  Acquire(bucket);
  ++moves_["gained"];
}

void Terms::Acquire(uint32_t bucket) {
  const CacheFreshness& freshness = terms_[bucket].freshness;
  absl::Duration& since = freshness.stated ? acquired_.stated_since : acquired_.fresh_since;
  since = std::max(since, freshness.since);
  acquired_.buckets.Add(bucket);
  if (freshness.stated) acquired_.stated.Add(bucket);
}

void Terms::TakeStatement(const SeenVersions& seen) {
  acquired_.seen = acquired_.seen ? LaterOfBoth(*acquired_.seen, seen) : seen;
}

void Terms::EndMembership() {
  for (Term& each : terms_) {
    if (each.held) each.lost_epoch = each.epoch;
  }
}

void Terms::OnAssign(const Assignment& next) {
  for (uint32_t bucket = 0; bucket < buckets(); ++bucket) {
    const BucketHolder& holder = next.buckets[bucket];
    if (holder.watcher == identity_) terms_[bucket].raised_to = holder.epoch;
    known_epochs_[bucket] = std::max(known_epochs_[bucket], holder.epoch);
  }
}

bool Terms::OnHigherEpoch(uint32_t bucket, uint64_t epoch) {
  known_epochs_[bucket] = std::max(known_epochs_[bucket], epoch);
  const bool ends = terms_[bucket].held && epoch > terms_[bucket].epoch;
  changes_.lost |= ends;
  return ends;
}

void Terms::RaiseEpoch(uint32_t bucket, uint64_t epoch) {
  known_epochs_[bucket] = std::max(known_epochs_[bucket], epoch);
  terms_[bucket].epoch = std::max(terms_[bucket].epoch, epoch);
}

void Terms::SetTargets(const std::vector<std::string>& targets, const BucketSet& waiting) {
  for (uint32_t bucket = 0; bucket < buckets(); ++bucket) {
    const bool moves = terms_[bucket].held && targets[bucket] != identity_;
    SetYielding(bucket, moves && !waiting.Contains(bucket));
  }
}

void Terms::SetYielding(uint32_t bucket, bool yields) {
  if (yielding_.Contains(bucket) == yields) return;
  if (yields) {
    yielding_.Add(bucket);
    return;
  }
  yielding_.Remove(bucket);
  idle_.Remove(bucket);
  in_doubt_.Remove(bucket);
  changes_.won = true;
}

bool Terms::SetIdle(const BucketSet& idle, const BucketSet& in_doubt, See see) {
  if (idle == idle_ && in_doubt == in_doubt_) return false;
  idle_ = idle;
  in_doubt_ = in_doubt;
  seen_ = see();
  return true;
}

BucketSet Terms::InDoubt(absl::Duration now) const {
  BucketSet in_doubt = in_doubt_;
  for (const uint32_t bucket : idle_.ToVector()) {
    if (now < terms_[bucket].quarantine_end) in_doubt.Add(bucket);
  }
  for (uint32_t bucket = 0; bucket < buckets(); ++bucket) {
    const std::optional<BucketHolder>& seen = terms_[bucket].seen;
    if (seen && seen->watcher.empty() && !seen->clean) in_doubt.Add(bucket);
  }
  return in_doubt;
}

std::optional<Acquired> Terms::TakeAcquired() {
  if (acquired_.buckets.empty()) return std::nullopt;
  return std::exchange(acquired_, Acquired{BucketSet(buckets())});
}

TermChanges Terms::TakeChanges() { return std::exchange(changes_, {}); }

}  // namespace xebec::watcher
