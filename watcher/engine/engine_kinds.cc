// SPDX-License-Identifier: Apache-2.0
// EngineCore: what is watched and planned.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

bool Has(const Topology& topology, const ResourceType& type) {
  return std::any_of(topology.resources.begin(), topology.resources.end(),
                     [&](const ResourceSpec& spec) { return spec.type == type; });
}

bool HasController(const Topology& topology, const std::string& name) {
  return std::any_of(topology.controllers.begin(), topology.controllers.end(),
                     [&](const ControllerPlan& plan) { return plan.kind.controller == name; });
}

}  // namespace

void EngineCore::Reconcile() {
  const Topology topology = BuildTopology(revisions.InUse(), options);
  for (const std::string& refusal : topology.refusals) {
    if (refusals.insert(refusal).second) Tell(Note::Level::kError, "Controller refused", refusal);
  }
  DropMissing(topology);
  for (const ResourceSpec& spec : topology.resources) WatchResource(spec);
  for (const ControllerPlan& plan : topology.controllers) TakeController(plan);
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
    if (!watches[id].active || Has(topology, watches[id].reflector.spec().type)) continue;
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
    return watch.reflector.spec().type == spec.type;
  });
  const WatchId id = static_cast<WatchId>(same - watches.begin());
  if (same == watches.end()) watches.push_back(Watch{Reflector(spec, PolicyOfReflectors())});
  watches[id].active = true;
  OnWatch(id, [&](Reflector& r, ReflectorContext& c) {
    r.Respecify(spec, c);
    r.Start(c);
  });
}

const WatchId* EngineCore::FindWatch(const ResourceType& type) const {
  const auto found = watch_ids.find(type);
  return found == watch_ids.end() ? nullptr : &found->second;
}

void EngineCore::TakeController(const ControllerPlan& plan) {
  const auto same = std::find_if(
      controllers.begin(), controllers.end(),
      [&](const Controller& each) { return each.kind.controller == plan.kind.controller; });
  const ControllerId id = static_cast<ControllerId>(same - controllers.begin());
  if (same == controllers.end()) {
    controllers.push_back(
        Controller{.kind = {},
                   .active = false,
                   .parent = 0,
                   .children = {},
                   .related = {},
                   .queue = WorkQueue({options.retry_min, options.retry_max}),
                   .budget = DeletionBudget(options.deletion_budget, options.deletion_interval),
                   .figures = {}});
  }
  Controller& controller = controllers[id];
  controller.kind = plan.kind;
  controller.figures.controller = plan.kind.controller;
  controller.active = true;
  controller.children.clear();
  controller.related.clear();
  controller.parent = WatchIdOf(plan.parent.type);
  for (const ResourceSpec& spec : plan.children)
    controller.children.push_back(WatchIdOf(spec.type));
  for (const ResourceSpec& spec : plan.related) controller.related.push_back(WatchIdOf(spec.type));
  MatchKeys(id);
}

WatchId EngineCore::WatchIdOf(const ResourceType& type) {
  for (WatchId id = 0; id < watches.size(); ++id) {
    if (watches[id].reflector.spec().type == type) return id;
  }
  return 0;  // the topology names every type that its controllers need
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

// Makes the keys of a controller those of its parents' cache.
void EngineCore::MatchKeys(ControllerId id) {
  const Reflector& reflector = watches[controllers[id].parent].reflector;
  if (reflector.listed_since() == -absl::InfiniteDuration()) return;
  for (const KeyId key : keys.InNamespace(id, "")) {
    if (ParentOf(key) == nullptr) Forget(key);
  }
  for (const auto& [name, object] : reflector.store().objects()) {
    if (keys.Find(id, name) != nullptr) continue;
    Trigger(keys.Add(id, name, object.uid), Priority::kBackground, "controller registered");
  }
}

void EngineCore::AssignRoles() {
  watch_ids.clear();
  for (WatchId id = 0; id < watches.size(); ++id) {
    watches[id].roles.clear();
    if (watches[id].active) watch_ids[watches[id].reflector.spec().type] = id;
  }
  for (ControllerId id = 0; id < controllers.size(); ++id) {
    const Controller& controller = controllers[id];
    if (!controller.active) continue;
    watches[controller.parent].roles.push_back({id, Relation::kParent, false});
    for (size_t i = 0; i < controller.children.size(); ++i) {
      const bool labelled = !controller.kind.children[i].parent_label.empty();
      watches[controller.children[i]].roles.push_back({id, Relation::kChild, labelled});
    }
    for (size_t i = 0; i < controller.related.size(); ++i) {
      const bool labelled = !controller.kind.related[i].parent_label.empty();
      watches[controller.related[i]].roles.push_back({id, Relation::kRelated, labelled});
    }
  }
}

// The candidate takes over once nothing that it needs is still being listed.
void EngineCore::MaybeMoveOver() {
  if (revisions.candidate() == nullptr) return;
  const Topology next = BuildTopology({revisions.candidate()}, options);
  for (const ResourceSpec& spec : next.resources) {
    const WatchId* watch = FindWatch(spec.type);
    if (watch == nullptr) return;
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
         watch.reflector.listed_since() >= fresh_since;
}

bool EngineCore::Ready(const Controller& controller) const {
  if (!controller.active || !Ready(watches[controller.parent])) return false;
  const auto usable = [this](WatchId id) {
    return Ready(watches[id]) || watches[id].reflector.availability() == Availability::kUnavailable;
  };
  return std::all_of(controller.children.begin(), controller.children.end(), usable) &&
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
