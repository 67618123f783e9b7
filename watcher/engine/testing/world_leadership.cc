// SPDX-License-Identifier: Apache-2.0
// The Leases of the simulated world, and watchers that come and go.
#include <algorithm>
#include <utility>

#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {

// The watch of the Leases brings them in order; a list brings all of them.
bool World::DeliverLeases() {
  if (!Elects() || !ReachesLeases() || now_.monotonic < me_->leases_silent_until) return false;
  if (me_->leases_seen && Chance(faults_.lease_gaps)) {
    BreakLeaseWatch();
    return true;
  }
  if (!me_->leases_seen || me_->lists_leases) {
    if (!me_->leases_seen) me_->leases_seen = lease_log_.size();
    me_->lists_leases = false;
    Feed(AsSeen(leases_.List()));
    return true;
  }
  if (*me_->leases_seen == lease_log_.size()) return false;
  LeasesSeen seen;
  const size_t end = std::min(lease_log_.size(), *me_->leases_seen + 1 + Pick(4));
  while (*me_->leases_seen < end) seen.leases.push_back(lease_log_[(*me_->leases_seen)++]);
  Feed(AsSeen(std::move(seen)));
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

void World::Recount(uint32_t buckets) {
  buckets_ = buckets;
  Trace("  the installation has " + std::to_string(buckets) + " buckets");
}

// A process with the old number of buckets ends, in order or not.
void World::Replace() {
  if (Chance(70)) return Feed(Stop{});
  Restart();
}

// Own writes may succeed until the next list.
void World::BreakLeaseWatch() {
  me_->leases_seen.reset();
  me_->leases_silent_until = now_.monotonic + absl::Seconds(static_cast<int64_t>(Pick(25)));
  Feed(LeasesReadFailed{});
}

// A process may notice that the Leases cannot be read.
void World::Partition() {
  me_->no_leases_until = now_.monotonic + absl::Seconds(30);
  if (Chance(50)) me_->no_objects_until = me_->no_leases_until;
  if (Chance(50)) BreakLeaseWatch();
}

void World::LoseAssignment() {
  Trace("somebody deletes the assignment");
  lease_log_.push_back(leases_.Delete(kAssignmentLease));
}

applier::FenceAnswer World::Admit(const Envelope& envelope, Applier* applier) {
  Instant now = now_;
  if (faults_.defect == Defect::kOldAssignment)
    now.monotonic = std::min(applier->read_at, now.monotonic);
  applier::FenceAnswer answer = applier->fence.Check(envelope, now);
  if (answer.verdict != applier::FenceAnswer::Verdict::kReadLeaseFirst) return answer;
  applier->read_at = now_.monotonic;
  applier->fence.OnAssignment(leases_.assignment(), now_.monotonic);
  return applier->fence.Check(envelope, now_, now_.monotonic);
}

Report World::ApplyUnlessFenced(const Plan& plan, const ApplierFault& fault) {
  const size_t applier = Pick(appliers_.size());
  const applier::FenceAnswer answer = Admit(plan.envelope, &appliers_[applier]);
  if (answer.verdict == applier::FenceAnswer::Verdict::kRefuse && !Ignored(answer.reason)) {
    ++counts_["refused " + answer.reason];
    Report report = RefusePlan(plan, OutcomeCode::kFenced);
    report.highest_epoch = answer.highest_epoch;
    return report;
  }
  if (Elects()) Violate(laws_.OnCarriedOut(applier, plan.envelope, now_.monotonic));
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
