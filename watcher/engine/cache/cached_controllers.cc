// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/cached_controllers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

bool Has(const Topology& topology, const std::string& controller) {
  return std::any_of(topology.controllers.begin(), topology.controllers.end(),
                     [&](const KindDescription& kind) { return kind.controller == controller; });
}

Note NoteOf(const ResourceType& type, const Counts& missing) {
  Note note;
  note.level = missing.empty() ? Note::Level::kInfo : Note::Level::kWarning;
  note.what = missing.empty() ? "Subresources complete" : "Subresources missing";
  note.detail = ResourceName(type);
  if (missing.empty()) return note;
  std::string what;
  if (missing.contains("status")) what = "no status: its objects show no conditions";
  if (missing.contains("scale")) {
    absl::StrAppend(&what, what.empty() ? "" : ", and ", "no scale: nothing but spec scales them");
  }
  absl::StrAppend(&note.detail, ": its CRD serves ", what, "; apply the CRD of this release");
  return note;
}

}  // namespace

void CachedControllers::Update(const Topology& topology, const WatchPool& watches,
                               std::vector<Changed>* changes) {
  Deactivate(topology, changes);
  for (const KindDescription& kind : topology.controllers) Take(kind, topology, watches, changes);
  AssignRoles(watches.size());
}

void CachedControllers::Deactivate(const Topology& topology, std::vector<Changed>* changes) {
  for (ControllerId id = 0; id < all_.size(); ++id) {
    CachedController& controller = all_[id];
    if (!controller.active || Has(topology, controller.kind.controller)) continue;
    controller.active = false;
    if (!controller.version.empty()) gone_.insert(id);
    changes->emplace_back(ControllerMatched{id});
  }
}

void CachedControllers::Free(ControllerId id) {
  gone_.erase(id);
  free_.insert(id);
}

// A controller that comes back has its old id, unless another one has got it meanwhile.
ControllerId CachedControllers::IdOf(const std::string& controller) {
  const auto same = std::find_if(all_.begin(), all_.end(), [&](const CachedController& each) {
    return each.kind.controller == controller;
  });
  auto id = static_cast<ControllerId>(same - all_.begin());
  if (same == all_.end()) {
    if (!free_.empty()) id = *free_.begin();
    all_.resize(std::max<size_t>(all_.size(), id + 1));
    all_[id] = CachedController{};
  }
  gone_.erase(id);
  free_.erase(id);
  return id;
}

void CachedControllers::Take(const KindDescription& kind, const Topology& topology,
                             const WatchPool& watches, std::vector<Changed>* changes) {
  const ControllerId id = IdOf(kind.controller);
  CachedController& controller = all_[id];
  const CachedController before = controller;
  const auto declared = topology.declared.find(kind.controller);
  const bool is_declared = declared != topology.declared.end();
  controller.kind = kind;
  controller.active = true;
  controller.paused = is_declared && declared->second.paused;
  controller.version = is_declared ? declared->second.version : "";
  const bool moved = controller.version != before.version ||
                     (is_declared && controller.kind.parent != before.kind.parent);
  if (moved) ++controller.changes;
  controller.children.clear();
  controller.related.clear();
  controller.parent = watches.Of(kind.parent);
  for (const ChildRule& rule : kind.children) controller.children.push_back(watches.Of(rule.type));
  for (const ChildRule& rule : kind.related) controller.related.push_back(watches.Of(rule.type));
  if (controller == before) return;
  changes->emplace_back(ControllerMatched{id});
  if (moved) changes->emplace_back(DeclarationMoved{id});
}

void CachedControllers::AssignRoles(size_t watches) {
  roles_.assign(watches, {});
  const auto assign = [this](const WatchSet& set, const Role& role) {
    for (const auto& [ns, watch] : set.all()) roles_[watch].push_back(role);
  };
  for (ControllerId id = 0; id < all_.size(); ++id) {
    const CachedController& controller = all_[id];
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

// What does not need a missing subresource works. Once the CRD has it, the objects are planned
// again.
void CachedControllers::CheckSubresources(WatchId watch, const WatchPool& watches,
                                          CacheContext& context, std::vector<Changed>* changes) {
  const Reflector& reflector = watches.reflector(watch);
  for (const Role& role : roles_[watch]) {
    if (role.relation != Relation::kParent) continue;
    CachedController& controller = all_[role.controller];
    Counts missing;
    if (controller.kind.scalable && !reflector.scale_subresource()) missing["scale"] = 1;
    if (!reflector.status_subresource()) missing["status"] = 1;
    if (missing == controller.missing_subresources) continue;
    context.out->push_back(NoteOf(controller.kind.parent, missing));
    controller.missing_subresources = std::move(missing);
    changes->emplace_back(SubresourcesChanged{role.controller});
  }
}

std::optional<ControllerId> CachedControllers::declaring() const {
  for (ControllerId id = 0; id < all_.size(); ++id) {
    if (all_[id].active && all_[id].kind.declares) return id;
  }
  return std::nullopt;
}

}  // namespace xebec::watcher
