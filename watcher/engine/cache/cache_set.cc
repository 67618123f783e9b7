// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/cache_set.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {

void CacheSet::Take(const std::vector<Touched>& touched) {
  for (const Touched& each : touched) {
    for (const StoreChange& change : each.changes) TakeChange(each.watch, each.first, change);
    if (each.listed) changes_.emplace_back(Relisted{each.watch});
    changes_.emplace_back(Progressed{each.watch});
    NoticeAvailability(each.watch);
    NoticeStatus(each.watch);
  }
}

// Readiness is kept rather than computed: it is asked for at every step.
void CacheSet::NoticeStatus(WatchId id) {
  Use& use = uses_[id];
  const Reflector& reflector = watches_.reflector(id);
  const Availability availability = reflector.availability();
  const bool ready = IsReady(id);
  const bool widening = reflector.widening();
  if (ready == use.ready && availability == use.availability && widening == use.widening) return;
  use.ready = ready;
  use.availability = availability;
  use.widening = widening;
  check_move_ = true;
  for (const Role& role : use.roles) {
    ready_[role.controller] = IsReady(controllers_[role.controller]);
  }
}

// A cache that is being widened is enough for a revision that does not need what it lacks.
bool CacheSet::IsReady(WatchId id) const {
  const Reflector& reflector = watches_.reflector(id);
  const std::optional<ResourceSpec>& needed = uses_[id].needed;
  return watches_.Usable(id) &&
         (!reflector.widening() || !needed || Covers(reflector.spec(), *needed));
}

// A namespace that cannot be read does not stop the others.
bool CacheSet::Usable(const WatchSet& set) const {
  return std::all_of(set.all().begin(), set.all().end(), [this](const auto& each) {
    return uses_[each.second].ready ||
           watches_.reflector(each.second).availability() == Availability::kUnavailable;
  });
}

bool CacheSet::IsReady(const CachedController& controller) const {
  const auto& parents = controller.parent.all();
  const bool any = std::any_of(parents.begin(), parents.end(),
                               [this](const auto& each) { return uses_[each.second].ready; });
  const auto usable = [this](const WatchSet& set) { return Usable(set); };
  return controller.active && any && usable(controller.parent) &&
         std::all_of(controller.children.begin(), controller.children.end(), usable) &&
         std::all_of(controller.related.begin(), controller.related.end(), usable);
}

void CacheSet::ReviewReadiness() {
  for (WatchId id = 0; id < uses_.size(); ++id) uses_[id].ready = IsReady(id);
  ready_.assign(controllers_.size(), false);
  for (ControllerId id = 0; id < controllers_.size(); ++id) ready_[id] = IsReady(controllers_[id]);
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

void CacheSet::RequireFresh(absl::Duration since, CacheContext& context) {
  if (watches_.RequireFresh(since, context)) ReviewReadiness();
}

// Without a planner of the current revision nothing is planned: the candidate waits no longer.
void CacheSet::OnForeignPlan(const std::string& revision, CacheContext& context) {
  if (revisions_.OnForeignPlan(revision, context.now)) return UpdateWatches(context);
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
  return watches_.Unsynced();
}

}  // namespace xebec::watcher
