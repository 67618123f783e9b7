// SPDX-License-Identifier: Apache-2.0
// CacheSet: what is watched, and for which controllers.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/cache/cache_set.h"

namespace xebec::watcher {
namespace {

// A resource that cannot be listed must not keep a new planner revision waiting for ever.
constexpr absl::Duration kMoveAnyway = absl::Minutes(1);

bool SameResource(const ResourceSpec& a, const ResourceSpec& b) {
  return a.type == b.type && a.ns == b.ns;
}

bool Has(const Topology& topology, const ResourceSpec& wanted) {
  return std::any_of(topology.resources.begin(), topology.resources.end(),
                     [&](const ResourceSpec& spec) { return SameResource(spec, wanted); });
}

bool HasController(const Topology& topology, const std::string& name) {
  return std::any_of(topology.controllers.begin(), topology.controllers.end(),
                     [&](const KindDescription& kind) { return kind.controller == name; });
}

void Tell(Note::Level level, std::string what, std::string detail, CacheContext& context) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = std::move(detail);
  context.out->push_back(std::move(note));
}

void TellSubresources(const ResourceType& type, const Counts& missing, CacheContext& context) {
  const std::string name = ResourceName(type);
  if (missing.empty()) return Tell(Note::Level::kInfo, "Subresources complete", name, context);
  std::string what;
  if (missing.contains("status")) what = "no status: its objects show no conditions";
  if (missing.contains("scale")) {
    absl::StrAppend(&what, what.empty() ? "" : ", and ", "no scale: nothing but spec scales them");
  }
  Tell(Note::Level::kWarning, "Subresources missing",
       absl::StrCat(name, ": its CRD serves ", what, "; apply the CRD of this release"), context);
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

std::optional<ControllerId> CacheSet::declaring() const {
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    if (controllers_[id].active && controllers_[id].kind.declares) return id;
  }
  return std::nullopt;
}

std::string CacheSet::RefusalOf(const std::string& controller) const {
  const auto found = refused_.find(controller);
  return found == refused_.end() ? "" : found->second;
}

void CacheSet::Hold(const BucketSet& buckets, CacheContext& context) {
  kube::BucketFilter hold{nullptr, /*parents=*/true};
  if (!buckets.full()) hold.buckets = std::make_shared<const BucketSet>(buckets);
  if (hold_ == hold) return;
  const bool first = !hold_;
  hold_ = std::move(hold);
  if (first) return UpdateWatches(Width::kExact, context);
  WatchAll(TopologyOf(revisions_.InUse()).resources, Width::kExact, context);
  ReviewAll();
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
  refused_ = topology.refused;
  for (const std::string& refusal : topology.refusals) {
    if (refusals_.insert(refusal).second) {
      Tell(Note::Level::kError, "Controller refused", refusal, context);
    }
  }
  DropMissing(topology, context);
  WatchAll(topology.resources, width, context);
  for (const ResourceSpec& spec : topology.resources) {
    const auto parents = topology.label_parents.find(spec.type);
    const bool none = parents == topology.label_parents.end();
    watches_.SetLabelParents(*watches_.Find(spec.type, spec.ns),
                             none ? std::set<ResourceType>() : parents->second);
  }
  uses_.resize(watches_.size());
  for (const KindDescription& kind : topology.controllers) TakeController(kind, topology);
  AssignRoles();
  for (WatchId id = 0; id < watches_.size(); ++id) {
    if (watches_.reflector(id).lists().begun > 0) CheckSubresources(id, context);
  }
  ReviewAll();
  check_move_ = true;
  const bool moving = revisions_.candidate() != nullptr;
  if (!moving) move_by_ = absl::InfiniteDuration();
  if (moving && move_by_ == absl::InfiniteDuration()) move_by_ = context.now + kMoveAnyway;
}

void CacheSet::DropMissing(const Topology& topology, CacheContext& context) {
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    CachedController& controller = controllers_[id];
    if (!controller.active || HasController(topology, controller.kind.controller)) continue;
    controller.active = false;
    changes_.emplace_back(ControllerMatched{id});
  }
  for (WatchId id = 0; id < watches_.size(); ++id) {
    const bool dropped = watches_.Active(id) && !Has(topology, watches_.reflector(id).spec());
    if (dropped) watches_.Drop(id, context);
  }
}

void CacheSet::TakeController(const KindDescription& kind, const Topology& topology) {
  const auto same = std::find_if(
      controllers_.begin(), controllers_.end(),
      [&](const CachedController& each) { return each.kind.controller == kind.controller; });
  const ControllerId id = static_cast<ControllerId>(same - controllers_.begin());
  const bool is_new = same == controllers_.end();
  if (is_new) controllers_.push_back(CachedController{});
  CachedController& controller = controllers_[id];
  const CachedController before = controller;
  const auto declared = topology.declared.find(kind.controller);
  const bool is_declared = declared != topology.declared.end();
  controller.kind = kind;
  controller.active = true;
  controller.paused = is_declared && declared->second.paused;
  controller.version = is_declared ? declared->second.version : "";
  if (controller.version != before.version) ++controller.changes;
  controller.children.clear();
  controller.related.clear();
  controller.parent = watches_.Of(kind.parent);
  for (const ChildRule& rule : kind.children) controller.children.push_back(watches_.Of(rule.type));
  for (const ChildRule& rule : kind.related) controller.related.push_back(watches_.Of(rule.type));
  if (!is_new && controller == before) return;
  changes_.emplace_back(ControllerMatched{id});
  if (controller.version != before.version) changes_.emplace_back(DeclarationMoved{id});
}

void CacheSet::AssignRoles() {
  for (Use& use : uses_) use = {.was_unavailable = use.was_unavailable};
  for (const ResourceSpec& spec : TopologyOf({revisions_.current()}).resources) {
    uses_[*watches_.Find(spec.type, spec.ns)].needed = spec;
  }
  const auto assign = [this](const WatchSet& set, const Role& role) {
    for (const auto& [ns, watch] : set.all()) uses_[watch].roles.push_back(role);
  };
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    const CachedController& controller = controllers_[id];
    if (!controller.active) continue;
    assign(controller.parent, {id, Relation::kParent, false});
    for (size_t i = 0; i < controller.children.size(); ++i) {
      const bool labelled = !controller.kind.children[i].parent_label.empty();
      assign(controller.children[i], {id, Relation::kChild, labelled});
    }
    for (size_t i = 0; i < controller.related.size(); ++i) {
      const bool labelled = !controller.kind.related[i].parent_label.empty();
      assign(controller.related[i], {id, Relation::kRelated, labelled});
    }
  }
}

// The CRD of an original operator may lack subresources: what does not need them works, and users
// are told. Once it has them its objects are planned again.
void CacheSet::CheckSubresources(WatchId id, CacheContext& context) {
  const Reflector& reflector = watches_.reflector(id);
  for (const Role& role : uses_[id].roles) {
    if (role.relation != Relation::kParent) continue;
    CachedController& controller = controllers_[role.controller];
    Counts missing;
    if (controller.kind.scalable && !reflector.scale_subresource()) missing["scale"] = 1;
    if (!reflector.status_subresource()) missing["status"] = 1;
    if (missing == controller.missing_subresources) continue;
    TellSubresources(controller.kind.parent, missing, context);
    controller.missing_subresources = std::move(missing);
    changes_.emplace_back(SubresourcesChanged{role.controller});
  }
}

bool CacheSet::CandidateIsWatched() const {
  const Topology next = TopologyOf({revisions_.candidate()});
  return std::all_of(next.resources.begin(), next.resources.end(),
                     [this](const ResourceSpec& spec) {
                       const WatchId* watch = watches_.Find(spec.type, spec.ns);
                       // What cannot be watched beside the present revision's resources comes after
                       // the move.
                       if (watch == nullptr) return true;
                       const Reflector& reflector = watches_.reflector(*watch);
                       return reflector.availability() == Availability::kUnavailable ||
                              (reflector.availability() == Availability::kReady &&
                               (!reflector.widening() || CoversInBucket(reflector.spec(), spec)));
                     });
}

// The candidate takes over once nothing that it needs is still being listed. A resource that does
// not become available stops its own controllers alone.
void CacheSet::MaybeMoveOver(CacheContext& context) {
  if (revisions_.candidate() == nullptr) return;
  if (context.now >= move_by_) return MoveOver(context);
  if (!std::exchange(check_move_, false)) return;
  if (CandidateIsWatched()) MoveOver(context);
}

void CacheSet::MoveOver(CacheContext& context) {
  revisions_.Move();
  Tell(Note::Level::kInfo, "Planner revision", absl::StrCat("keys are planned with ", revision()),
       context);
  UpdateWatches(Width::kExact, context);
  changes_.emplace_back(RevisionMoved{revision()});
}

}  // namespace xebec::watcher
