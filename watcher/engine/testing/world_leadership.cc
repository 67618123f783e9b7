// SPDX-License-Identifier: Apache-2.0
// The Leases of the simulated world, and watchers that come and go.
#include <algorithm>
#include <utility>

#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {

// The watch of the Leases brings them in order; a list brings all of them.
bool World::DeliverLeases() {
  if (!Elects() || now_.monotonic < me_->leases_silent_until) return false;
  if (!me_->leases_seen || me_->lists_leases) {
    if (!me_->leases_seen) me_->leases_seen = lease_log_.size();
    me_->lists_leases = false;
    Feed(leases_.List());
    return true;
  }
  if (*me_->leases_seen == lease_log_.size()) return false;
  LeasesSeen seen;
  const size_t end = std::min(lease_log_.size(), *me_->leases_seen + 1 + Pick(4));
  while (*me_->leases_seen < end) seen.leases.push_back(lease_log_[(*me_->leases_seen)++]);
  Feed(std::move(seen));
  return true;
}

// One process ends, in order or not, or one that has ended starts again.
void World::JoinsAndLeaves() {
  if (me_->off) {
    me_->off = false;
    return Begin();
  }
  const auto off = std::count_if(processes_.begin(), processes_.end(),
                                 [](const Process& each) { return each.off; });
  if (static_cast<size_t>(off) + 1 >= processes_.size()) return;
  if (Chance(50)) {
    me_->ends = true;
    return Feed(Stop{});
  }
  Restart();
  me_->off = true;
}

void World::NoteLeadership() {
  for (uint32_t bucket = 0; bucket < options_.buckets; ++bucket) {
    if (me_->engine->Leads(bucket)) {
      me_->leads_since.try_emplace(bucket, now_.monotonic);
    } else {
      me_->leads_since.erase(bucket);
    }
  }
}

// Appliers know what plans and the assignment have shown.
uint64_t World::KnownEpoch(uint32_t bucket) {
  const Assignment assignment = leases_.assignment();
  const uint64_t assigned = bucket < assignment.count() ? assignment.buckets[bucket].epoch : 0;
  return std::max(assigned, applied_epochs_[bucket]);
}

Report World::ApplyUnlessFenced(const Plan& plan, const ApplierFault& fault) {
  const uint64_t known = KnownEpoch(plan.envelope.bucket);
  if (plan.envelope.epoch < known && !faults_.no_fence) return Refuse(plan, OutcomeCode::kFenced);
  uint64_t& applied = applied_epochs_[plan.envelope.bucket];
  if (plan.envelope.epoch < applied) Violate("a plan of an earlier epoch was carried out");
  applied = std::max(applied, plan.envelope.epoch);
  if (now_.wall > plan.envelope.not_after) return Refuse(plan, OutcomeCode::kRefused);
  return Apply(plan, fault);
}

bool World::CarryOrphan() {
  if (orphans_.empty()) return false;
  const Orphan orphan = std::move(orphans_.back());
  orphans_.pop_back();
  // An applier admitted it before the new leader's first plan raised the epoch: no fence any more.
  if (now_.monotonic <= orphan.until) Apply(*orphan.send.plan, {});
  return true;
}

}  // namespace xebec::watcher::testing
