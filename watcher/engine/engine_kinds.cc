// SPDX-License-Identifier: Apache-2.0
// EngineCore: what is watched and planned.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

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

}  // namespace

void EngineCore::Reconcile() {
  const Topology topology = BuildTopology(revisions.InUse(), options);
  for (const std::string& refusal : topology.refusals) {
    if (refusals.insert(refusal).second) Tell(Note::Level::kError, "Controller refused", refusal);
  }
  DropMissing(topology);
  for (const ResourceSpec& spec : topology.resources) WatchResource(spec);
  IndexWatches();
  for (const KindDescription& kind : topology.controllers) TakeController(kind);
  AssignRoles();
  for (WatchId id = 0; id < watches.size(); ++id) {
    if (watches[id].reflector.lists_begun() > 0) LookAtSubresources(id);
  }
}

void EngineCore::DropMissing(const Topology& topology) {
  for (ControllerId id = 0; id < controllers.size(); ++id) {
    Controller& controller = controllers[id];
    if (!controller.active || HasController(topology, controller.kind.controller)) continue;
    controller.active = false;
    for (const KeyId key : keys.InNamespace(id, "")) Forget(key);
  }
  for (WatchId id = 0; id < watches.size(); ++id) {
    if (!watches[id].active || Has(topology, watches[id].reflector.spec())) continue;
    OnWatch(id, [](Reflector& r, ReflectorContext& c) { r.Stop(c); });
    watches[id].active = false;
    watches[id].reflector = Reflector(watches[id].reflector.spec(), PolicyOfReflectors());
  }
}

ReflectorPolicy EngineCore::PolicyOfReflectors() const {
  return {.backoff = {options.list_backoff_min, options.list_backoff_max},
          .watch_timeout = options.watch_timeout,
          .discovery_interval = options.discovery_interval,
          .list_page = options.list_page,
          .seed = Seed(identity, 0)};
}

void EngineCore::WatchResource(const ResourceSpec& spec) {
  const auto same = std::find_if(watches.begin(), watches.end(), [&](const Watch& watch) {
    return SameResource(watch.reflector.spec(), spec);
  });
  const WatchId id = static_cast<WatchId>(same - watches.begin());
  if (same == watches.end()) watches.push_back(Watch{Reflector(spec, PolicyOfReflectors())});
  watches[id].active = true;
  OnWatch(id, [&](Reflector& r, ReflectorContext& c) {
    r.Respecify(spec, c);
    r.Start(c);
  });
}

void EngineCore::IndexWatches() {
  watch_sets.clear();
  for (WatchId id = 0; id < watches.size(); ++id) {
    const ResourceSpec& spec = watches[id].reflector.spec();
    if (watches[id].active) watch_sets[spec.type].Add(spec.ns, id);
  }
}

const WatchSet& EngineCore::WatchesOf(const ResourceType& type) const {
  static const WatchSet none;
  const auto found = watch_sets.find(type);
  return found == watch_sets.end() ? none : found->second;
}

const WatchId* EngineCore::FindWatch(const ResourceType& type, const std::string& ns) const {
  return WatchesOf(type).Find(ns);
}

void EngineCore::TakeController(const KindDescription& kind) {
  const auto same =
      std::find_if(controllers.begin(), controllers.end(),
                   [&](const Controller& each) { return each.kind.controller == kind.controller; });
  const ControllerId id = static_cast<ControllerId>(same - controllers.begin());
  if (same == controllers.end()) {
    controllers.push_back(
        Controller{.kind = {},
                   .active = false,
                   .parent = {},
                   .children = {},
                   .related = {},
                   .queue = WorkQueue({options.retry_min, options.retry_max}),
                   .budget = DeletionBudget(options.deletion_budget, options.deletion_interval),
                   .figures = {}});
  }
  Controller& controller = controllers[id];
  controller.kind = kind;
  controller.figures.controller = kind.controller;
  controller.active = true;
  controller.children.clear();
  controller.related.clear();
  controller.parent = WatchesOf(kind.parent);
  for (const ChildRule& rule : kind.children) controller.children.push_back(WatchesOf(rule.type));
  for (const ChildRule& rule : kind.related) controller.related.push_back(WatchesOf(rule.type));
  MatchKeys(id);
}

// The CRD of an original operator may lack subresources: what does not need them works, and people
// are told. Once it has them its objects are planned anew.
void EngineCore::LookAtSubresources(WatchId watch) {
  const Reflector& reflector = watches[watch].reflector;
  for (const Role& role : watches[watch].roles) {
    if (role.relation != Relation::kParent) continue;
    Controller& controller = controllers[role.controller];
    Counts missing;
    if (controller.kind.scalable && !reflector.scale_subresource()) missing["scale"] = 1;
    if (!reflector.status_subresource()) missing["status"] = 1;
    if (missing == controller.figures.missing_subresources) continue;
    TellSubresources(controller.kind.parent, missing);
    controller.figures.missing_subresources = std::move(missing);
    for (const KeyId key : keys.InNamespace(role.controller, "")) {
      Trigger(key, Priority::kBackground, "subresources changed");
    }
  }
}

void EngineCore::TellSubresources(const ResourceType& type, const Counts& missing) {
  const std::string name = ResourceName(type);
  if (missing.empty()) return Tell(Note::Level::kInfo, "Subresources complete", name);
  std::string what;
  if (missing.contains("status")) what = "no status: its objects show no conditions";
  if (missing.contains("scale")) {
    absl::StrAppend(&what, what.empty() ? "" : ", and ", "no scale: nothing but spec scales them");
  }
  Tell(Note::Level::kWarning, "Subresources missing",
       absl::StrCat(name, ": its CRD serves ", what, "; apply the CRD of this release"));
}

// Makes the keys of a controller those of its parents' caches.
void EngineCore::MatchKeys(ControllerId id) {
  for (const auto& [ns, watch] : controllers[id].parent.all()) {
    const Reflector& reflector = watches[watch].reflector;
    if (reflector.listed_since() == -absl::InfiniteDuration()) continue;
    for (const KeyId key : keys.InNamespace(id, ns)) {
      if (ParentOf(key) == nullptr) Forget(key);
    }
    for (const auto& [name, object] : reflector.store().objects()) {
      const KeyId* known = keys.Find(id, name);
      if (known != nullptr && keys.at(*known).uid == object.uid) continue;
      Trigger(keys.Add(id, name, object.uid), Priority::kBackground, "controller registered");
    }
  }
}

void EngineCore::AssignRoles() {
  for (Watch& watch : watches) watch.roles.clear();
  const auto assign = [this](const WatchSet& set, const Role& role) {
    for (const auto& [ns, watch] : set.all()) watches[watch].roles.push_back(role);
  };
  for (ControllerId id = 0; id < controllers.size(); ++id) {
    const Controller& controller = controllers[id];
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

// The candidate takes over once nothing that it needs is still being listed.
void EngineCore::MaybeMoveOver() {
  if (revisions.candidate() == nullptr) return;
  const Topology next = BuildTopology({revisions.candidate()}, options);
  for (const ResourceSpec& spec : next.resources) {
    const WatchId* watch = FindWatch(spec.type, spec.ns);
    if (watch == nullptr) continue;  // it cannot be watched beside the present one's: Ready waits
    if (watches[*watch].reflector.availability() == Availability::kPending) return;
  }
  revisions.Move();
  const std::string revision = revisions.current()->revision;
  Tell(Note::Level::kInfo, "Planner revision", absl::StrCat("keys are planned with ", revision));
  Reconcile();
  RequeueAll("planner revision " + revision);
}

bool EngineCore::Ready(const Watch& watch) const {
  return watch.active && watch.reflector.availability() == Availability::kReady &&
         watch.reflector.listed_since() >= leadership.FreshSince();
}

// A namespace that cannot be read does not stop the others.
bool EngineCore::Usable(const WatchSet& set) const {
  return std::all_of(set.all().begin(), set.all().end(), [this](const auto& each) {
    const Watch& watch = watches[each.second];
    return Ready(watch) || watch.reflector.availability() == Availability::kUnavailable;
  });
}

bool EngineCore::Ready(const Controller& controller) const {
  const auto& parents = controller.parent.all();
  const bool any = std::any_of(parents.begin(), parents.end(),
                               [this](const auto& each) { return Ready(watches[each.second]); });
  const auto usable = [this](const WatchSet& set) { return Usable(set); };
  return controller.active && any && usable(controller.parent) &&
         std::all_of(controller.children.begin(), controller.children.end(), usable) &&
         std::all_of(controller.related.begin(), controller.related.end(), usable);
}

std::vector<std::string> EngineCore::Unsynced() const {
  if (revisions.current() == nullptr) return {"no planner has said yet what it plans"};
  std::vector<std::string> lines;
  for (const Watch& watch : watches) {
    const bool pending = watch.reflector.availability() == Availability::kPending;
    if (watch.active && pending) lines.push_back(watch.reflector.Explain());
  }
  return lines;
}

}  // namespace xebec::watcher
