// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/cache_set.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {

void CacheSet::Take(const std::vector<Touched>& touched) {
  for (const Touched& each : touched) {
    for (const StoreChange& change : each.changes) TakeChange(each, change);
    if (each.listed) changes_.emplace_back(Relisted{each.watch});
    changes_.emplace_back(Progressed{each.watch});
    NoticeAvailability(each.watch);
    NoticeStatus(each.watch);
  }
}

// Readiness is kept rather than computed: it is asked for at every step.
void CacheSet::NoticeStatus(WatchId id) {
  Use& use = uses_[id];
  const Status before = std::exchange(use.status, StatusOf(id));
  if (use.status == before) return;
  check_move_ = true;
  for (const Role& role : use.roles) Review(role.controller);
}

// A cache that is being widened is enough for a revision that does not need what it lacks.
CacheSet::Status CacheSet::StatusOf(WatchId id) const {
  const Reflector& reflector = watches_.reflector(id);
  const std::optional<ResourceSpec>& needed = uses_[id].needed;
  const bool enough = !reflector.widening() || !needed || CoversInBucket(reflector.spec(), *needed);
  return {watches_.Usable(id) && enough, reflector.availability(), reflector.widening(),
          reflector.spec().projection.keep, reflector.fresh_since()};
}

// A namespace that cannot be read does not stop the others. Returns true if any can be read.
bool CacheSet::AddReadiness(const WatchSet& set, Readiness* readiness) const {
  bool any = false;
  for (const auto& [ns, id] : set.all()) {
    const Status& status = uses_[id].status;
    if (!status.ready) {
      readiness->ready &= status.availability == Availability::kUnavailable;
      continue;
    }
    any = true;
    readiness->fresh_since = std::min(readiness->fresh_since, status.fresh_since);
    if (!status.held.active()) continue;
    readiness->held = Intersect(readiness->held, {status.held.buckets, /*parents=*/true});
  }
  return any;
}

CacheSet::Readiness CacheSet::ReadinessOf(const CachedController& controller) const {
  Readiness readiness{.ready = controller.active && !controller.paused};
  readiness.ready &= AddReadiness(controller.parent, &readiness);
  for (const WatchSet& set : controller.children) AddReadiness(set, &readiness);
  for (const WatchSet& set : controller.related) AddReadiness(set, &readiness);
  return readiness;
}

void CacheSet::Review(ControllerId id) {
  const Readiness before = std::exchange(readiness_[id], ReadinessOf(controllers_[id]));
  const Readiness& now_is = readiness_[id];
  const bool better =
      !before.ready || now_is.fresh_since > before.fresh_since || !before.held.Covers(now_is.held);
  if (now_is.ready && better) changes_.emplace_back(BucketsReady{id});
}

void CacheSet::ReviewAll() {
  for (WatchId id = 0; id < uses_.size(); ++id) uses_[id].status = StatusOf(id);
  readiness_.resize(controllers_.size());
  for (ControllerId id = 0; id < controllers_.size(); ++id) Review(id);
}

bool CacheSet::Ready(ControllerId controller, uint32_t bucket, absl::Duration since) const {
  const Readiness& its = readiness_[controller];
  return its.ready && its.fresh_since >= since &&
         (!its.held.active() || its.held.buckets->Contains(bucket));
}

void CacheSet::On(const Discovered& input, CacheContext& context) {
  const std::vector<Touched> touched = watches_.On(input, context);
  Take(touched);
  for (const Touched& each : touched) {
    if (input.served) CheckSubresources(each.watch, context);
  }
}

void CacheSet::OnTick(CacheContext& context) {
  Take(watches_.OnTick(context));
  MaybeMoveOver(context);
}

// Without a planner of the current revision nothing is planned: the candidate waits no longer.
void CacheSet::OnForeignPlan(const std::string& revision, CacheContext& context) {
  if (revisions_.OnForeignPlan(revision, context.now)) return UpdateWatches(Width::kExact, context);
  const PlannerDescription* candidate = revisions_.candidate();
  const bool next = candidate != nullptr && candidate->revision == revision;
  if (next && revisions_.Deserted(context.now)) MoveOver(context);
}

std::string CacheSet::revision() const {
  return revisions_.current() == nullptr ? "" : revisions_.current()->revision;
}

WatchId CacheSet::ParentWatch(ControllerId controller, const std::string& ns) const {
  return *controllers_[controller].parent.Find(ns);
}

const StoredObject* CacheSet::Parent(ControllerId controller, const ObjectKey& name) const {
  if (!controllers_[controller].active) return nullptr;
  return store(ParentWatch(controller, name.ns)).Find(name);
}

std::vector<std::string> CacheSet::Unsynced() const {
  if (revisions_.current() == nullptr) return {"no planner has said yet what it plans"};
  if (!hold_) return {"it is not known yet which parents this watcher plans"};
  return watches_.Unsynced();
}

}  // namespace xebec::watcher
