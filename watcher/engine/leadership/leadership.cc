// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/leadership.h"

#include <algorithm>

namespace xebec::watcher {

Leadership::Leadership(const Options& options, const std::string& identity)
    : buckets_(std::max(1u, options.buckets)),
      quarantine_(options.plan_life + kClockSkew + options.request_timeout) {
  if (!options.leader_election) return;
  const LeasePolicy policy{options.lease_duration, options.renew_deadline, options.retry_period};
  for (uint32_t bucket = 0; bucket < buckets_; ++bucket)
    terms_.push_back({LeaseElector(policy, identity, options.instance, bucket)});
}

const Leadership::Term* Leadership::Find(uint32_t bucket) const {
  return bucket < terms_.size() ? &terms_[bucket] : nullptr;
}

LeaseElector* Leadership::FindLease(uint32_t bucket) {
  return bucket < terms_.size() ? &terms_[bucket].lease : nullptr;
}

bool Leadership::Leads(uint32_t bucket, absl::Duration now) const {
  const Term* term = Find(bucket);
  return term == nullptr ? terms_.empty() : term->lease.Leads(now);
}

bool Leadership::LeadsAny(absl::Duration now) const {
  return terms_.empty() || std::any_of(terms_.begin(), terms_.end(),
                                       [now](const Term& each) { return each.lease.Leads(now); });
}

uint64_t Leadership::Epoch(uint32_t bucket) const {
  const Term* term = Find(bucket);
  return term == nullptr ? epoch_without_election_ : term->lease.epoch();
}

uint64_t Leadership::Acquisitions(uint32_t bucket) const {
  const Term* term = Find(bucket);
  return term == nullptr ? 0 : term->acquisitions;
}

uint64_t Leadership::FirstEpoch(uint32_t bucket) const {
  const Term* term = Find(bucket);
  return term == nullptr ? 0 : term->first_epoch;
}

absl::Duration Leadership::QuarantineEnd(uint32_t bucket) const {
  const Term* term = Find(bucket);
  return term == nullptr ? -absl::InfiniteDuration() : term->quarantine_end;
}

absl::Duration Leadership::FreshSince() const {
  absl::Duration latest = -absl::InfiniteDuration();
  for (const Term& each : terms_) latest = std::max(latest, each.fresh_since);
  return latest;
}

absl::Duration Leadership::NextDeadline() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const Term& each : terms_) next = std::min(next, each.lease.NextDeadline());
  return next;
}

std::string Leadership::Hindrance(uint32_t bucket, absl::Duration now) const {
  const Term* term = Find(bucket);
  return term == nullptr || term->lease.Leads(now) ? "" : term->lease.Explain(now);
}

void Leadership::OnSeen(const LeaseSeen& seen, absl::Duration now, Outputs* out) {
  if (LeaseElector* lease = FindLease(seen.bucket)) lease->OnSeen(seen, now, out);
}

void Leadership::OnReadFailed(const LeaseReadFailed& failed, Outputs* out) {
  if (LeaseElector* lease = FindLease(failed.bucket)) lease->OnReadFailed(failed.failure, out);
}

void Leadership::OnWriteFailed(const LeaseWriteFailed& failed, absl::Duration now, Outputs* out) {
  if (LeaseElector* lease = FindLease(failed.bucket))
    lease->OnWriteFailed(failed.failure, now, out);
}

void Leadership::OnTick(absl::Duration now, Outputs* out) {
  for (Term& each : terms_) each.lease.OnTick(now, out);
}

void Leadership::OnHigherEpoch(uint32_t bucket, uint64_t epoch, absl::Duration now, Outputs* out) {
  if (LeaseElector* lease = FindLease(bucket)) lease->OnHigherEpoch(epoch, now, out);
  if (terms_.empty()) epoch_without_election_ = std::max(epoch_without_election_, epoch);
}

std::vector<uint32_t> Leadership::TakeAcquired(absl::Duration now) {
  std::vector<uint32_t> acquired;
  for (uint32_t bucket = 0; bucket < terms_.size(); ++bucket) {
    Term& term = terms_[bucket];
    if (term.lease.acquisitions() == term.acquisitions) continue;
    term.acquisitions = term.lease.acquisitions();
    term.first_epoch = term.lease.epoch();
    term.fresh_since = term.lease.fresh_since();
    term.quarantine_end =
        term.lease.clean_handover() ? -absl::InfiniteDuration() : now + quarantine_;
    acquired.push_back(bucket);
  }
  return acquired;
}

Leadership::Turn Leadership::TakeTurn(absl::Duration now) {
  Turn turn;
  for (Term& each : terms_) {
    const bool leads = each.lease.Leads(now);
    turn.lost |= each.led && !leads;
    turn.won |= !each.led && leads;
    each.led = leads;
  }
  return turn;
}

bool Leadership::Release(bool clean, absl::Duration now, Outputs* out) {
  bool released = true;
  for (Term& each : terms_) {
    // The next holder must wait as long as we would have waited for the plans of our predecessor.
    each.lease.Release(clean && now >= each.quarantine_end, now, out);
    released &= each.lease.Released();
  }
  return released;
}

}  // namespace xebec::watcher
