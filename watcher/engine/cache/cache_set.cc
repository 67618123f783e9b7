// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/cache_set.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

void SetLabelParents(const Topology& topology, WatchPool* watches) {
  for (const ResourceSpec& spec : topology.resources) {
    const auto parents = topology.label_parents.find(spec.type);
    const bool none = parents == topology.label_parents.end();
    watches->SetLabelParents(*watches->Find(spec.type, spec.ns),
                             none ? std::set<ResourceType>() : parents->second);
  }
}

void Tell(Note::Level level, std::string what, std::string detail, CacheContext& context) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = std::move(detail);
  context.out->push_back(std::move(note));
}

}  // namespace

void CacheSet::On(const DescriptionArrived& input, CacheContext& context) {
  if (revisions_.OnDescription(input.description)) UpdateWatches(Width::kExact, context);
}

void CacheSet::Declare(std::vector<DeclaredKind> declared, CacheContext& context) {
  if (declared_ == declared) return;
  declared_ = std::move(declared);
  // A declaration that goes must not make the API server list what others still need.
  UpdateWatches(Width::kKeep, context);
}

void CacheSet::On(const Discovered& input, CacheContext& context) {
  const std::vector<Touched> touched = watches_.On(input, context);
  Take(touched);
  for (const Touched& each : touched) {
    if (input.served) CheckSubresources(each.watch, context);
    if (input.served && !each.first) changes_.emplace_back(ResourceInDoubt{input.type});
  }
}

// The candidate takes over once nothing that it needs is still being listed.
void CacheSet::OnTick(CacheContext& context) {
  Take(watches_.OnTick(context));
  if (revisions_.candidate() == nullptr) return;
  const auto is_watched = [this] {
    return IsWatched(TopologyOf({revisions_.candidate()}), watches_);
  };
  if (move_.Due(context.now, is_watched)) MoveOver(context);
}

void CacheSet::Take(const std::vector<Touched>& touched) {
  for (const Touched& each : touched) {
    for (const StoreChange& change : each.changes) {
      AddChanges(each, change, controllers_, watches_, &changes_);
    }
    if (each.listed) changes_.emplace_back(Relisted{each.watch});
    const Reflector& reflector = watches_.reflector(each.watch);
    if (reflector.unserved()) changes_.emplace_back(ResourceInDoubt{reflector.spec().type});
    changes_.emplace_back(Progressed{each.watch});
    unavailable_.Notice(each.watch, controllers_, watches_, &changes_);
    if (readiness_.Notice(each.watch, controllers_, watches_, &changes_)) move_.Notice();
  }
}

void CacheSet::Hold(const BucketSet& buckets, CacheContext& context) {
  kube::BucketFilter hold{nullptr, /*parents=*/true};
  if (!buckets.full()) hold.buckets = std::make_shared<const BucketSet>(buckets);
  if (hold_ == hold) return;
  const bool first = !hold_;
  hold_ = std::move(hold);
  if (first) return UpdateWatches(Width::kExact, context);
  WatchAll(TopologyOf(revisions_.InUse()).resources, Width::kExact, context);
  readiness_.Review(controllers_, watches_, &changes_);
}

// What no role narrows is held as a whole, whatever the buckets.
void CacheSet::WatchAll(std::vector<ResourceSpec> resources, Width width, CacheContext& context) {
  for (ResourceSpec& spec : resources) {
    const WatchId* watch = watches_.Find(spec.type, spec.ns);
    if (width == Width::kKeep && watch != nullptr) {
      const ResourceSpec& present = watches_.reflector(*watch).spec();
      if (CoversInBucket(present, spec)) spec = present;
    }
    spec.projection.keep.buckets = hold_->buckets;
    watches_.Watch(spec, context);
  }
}

void CacheSet::UpdateWatches(Width width, CacheContext& context) {
  if (!hold_ || revisions_.current() == nullptr) return;
  const Topology topology = TopologyOf(revisions_.InUse());
  TakeRefusals(topology, context);
  DropMissing(topology, context);
  WatchAll(topology.resources, width, context);
  SetLabelParents(topology, &watches_);
  controllers_.Update(topology, watches_, &changes_);
  for (WatchId id = 0; id < watches_.size(); ++id) {
    if (watches_.reflector(id).cache().lists().begun > 0) CheckSubresources(id, context);
  }
  const Topology present = TopologyOf({revisions_.current()});
  readiness_.Update(controllers_, watches_, present.resources, &changes_);
  move_.Begin(revisions_.candidate() != nullptr, context.now);
}

void CacheSet::TakeRefusals(const Topology& topology, CacheContext& context) {
  refused_ = topology.refused;
  std::set<std::string> refusals(topology.refusals.begin(), topology.refusals.end());
  for (const std::string& refusal : refusals) {
    if (!refusals_.contains(refusal)) {
      Tell(Note::Level::kError, "Controller refused", refusal, context);
    }
  }
  refusals_ = std::move(refusals);
}

void CacheSet::DropMissing(const Topology& topology, CacheContext& context) {
  std::set<std::pair<ResourceType, std::string>> wanted;
  for (const ResourceSpec& spec : topology.resources) wanted.emplace(spec.type, spec.ns);
  for (WatchId id = 0; id < watches_.size(); ++id) {
    const ResourceSpec& spec = watches_.reflector(id).spec();
    if (watches_.Active(id) && !wanted.contains({spec.type, spec.ns})) watches_.Drop(id, context);
  }
}

void CacheSet::MoveOver(CacheContext& context) {
  revisions_.Move();
  Tell(Note::Level::kInfo, "Planner revision", absl::StrCat("keys are planned with ", revision()),
       context);
  UpdateWatches(Width::kExact, context);
  changes_.emplace_back(RevisionMoved{revision()});
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

std::string CacheSet::RefusalOf(const std::string& controller) const {
  const auto found = refused_.find(controller);
  return found == refused_.end() ? "" : found->second;
}

WatchId CacheSet::ParentWatch(ControllerId controller, const std::string& ns) const {
  return *controllers()[controller].parent.Find(ns);
}

const StoredObject* CacheSet::Parent(ControllerId controller, const ObjectKey& name) const {
  Slot slot = kNoSlot;
  return Parent(controller, name, Uid(), &slot);
}

const StoredObject* CacheSet::Parent(ControllerId controller, const ObjectKey& name, const Uid& uid,
                                     Slot* slot) const {
  const CachedController& its = controllers()[controller];
  const WatchId* watch = its.active ? its.parent.Find(name.ns) : nullptr;
  if (watch == nullptr) return nullptr;
  const ObjectTable& objects = store(*watch).objects();
  if (const StoredObject* parent = objects.Find(*slot, uid)) return parent;
  *slot = objects.Find(name).value_or(kNoSlot);
  return *slot == kNoSlot ? nullptr : &objects.at(*slot);
}

std::vector<std::string> CacheSet::Unsynced() const {
  if (revisions_.current() == nullptr) return {"no planner has described its kinds yet"};
  if (!hold_) return {"the share of this watcher is not determined yet"};
  return watches_.Unsynced();
}

}  // namespace xebec::watcher
