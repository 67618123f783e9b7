// SPDX-License-Identifier: Apache-2.0
// EngineCore: what the caches tell, and which keys it concerns.
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {

void EngineCore::TakeChanges() {
  std::set<KeyId> touched;
  for (const Changed& change : cache.TakeChanges()) {
    std::visit([&](const auto& each) { OnChange(each, &touched); }, change);
  }
  for (const KeyId key : touched) Recheck(key);
}

void EngineCore::OnChange(const ParentAdded& change, std::set<KeyId>*) {
  const KeyId* known = keys.Find(change.controller, change.name);
  if (known != nullptr && keys.at(*known).uid != change.uid) {
    wanted.Set(*known, {});
    controllers[change.controller].queue.Forget(*known);
  }
  const KeyId key = keys.Add(change.controller, change.name, change.uid);
  Trigger(key, change.initial ? Priority::kBackground : Priority::kFresh,
          change.initial ? "initial list" : "created");
}

void EngineCore::OnChange(const ParentRemoved& change, std::set<KeyId>* touched) {
  const KeyId* key = keys.Find(change.controller, change.name);
  if (key == nullptr) return;
  touched->insert(*key);
  if (!passes.contains(*key)) Forget(*key);  // else when the pass is over
}

void EngineCore::OnChange(const ParentChanged& change, std::set<KeyId>* touched) {
  const KeyId* key = keys.Find(change.controller, change.name);
  if (key == nullptr) {
    return OnChange(ParentAdded{change.controller, change.name, change.uid, false}, touched);
  }
  touched->insert(*key);
  keys.at(*key).again = 0;
  Trigger(*key, Priority::kFresh, change.reason);
}

// Our own status write comes back as an event: nothing to plan. One that arrives before the report
// is judged with it.
void EngineCore::OnChange(const ParentWritten& change, std::set<KeyId>* touched) {
  const KeyId* known = keys.Find(change.controller, change.name);
  if (known == nullptr) {
    return OnChange(ParentAdded{change.controller, change.name, change.uid, false}, touched);
  }
  const KeyId key = *known;
  touched->insert(key);
  if (change.version == keys.at(key).status_version) return;
  const auto pass = passes.find(key);
  const bool before_report =
      pass != passes.end() && (std::holds_alternative<Planning>(pass->second.state) ||
                               std::holds_alternative<AwaitingApplier>(pass->second.state) ||
                               std::holds_alternative<Applying>(pass->second.state));
  if (before_report) {
    pass->second.parent_version = change.version;
    return;
  }
  Trigger(key, Priority::kOwn, "parent changed");
}

void EngineCore::OnChange(const ChildChanged& change, std::set<KeyId>* touched) {
  std::set<KeyId> roots;
  for (const std::string& uid : change.owners) {
    const KeyId* owner = keys.FindUid(uid);
    if (owner != nullptr && keys.at(*owner).controller == change.controller) roots.insert(*owner);
  }
  for (const std::string& label : change.labels) {
    const KeyId* labelled = keys.FindLabel(change.controller, change.ns, label);
    if (labelled != nullptr) roots.insert(*labelled);
  }
  for (const KeyId key : roots) {
    touched->insert(key);
    const auto pass = passes.find(key);
    if (pass != passes.end() && change.exists) pass->second.overtaken = true;
    Trigger(key, Priority::kOwn, change.reason);
  }
}

void EngineCore::OnChange(const RelatedChanged& change, std::set<KeyId>*) {
  const Priority priority = change.background ? Priority::kBackground : Priority::kOwn;
  for (const KeyId key : keys.InNamespace(change.controller, change.ns)) {
    Trigger(key, priority, change.reason);
  }
}

void EngineCore::OnChange(const NameChanged& change, std::set<KeyId>*) {
  for (const KeyId key : wanted.Waiting(change.watch, change.name)) {
    Trigger(key, Priority::kOwn,
            absl::StrCat("wanted ", cache.NameOf(change.watch, change.name),
                         change.gone ? " is free" : " changed"),
            /*urgent=*/change.gone);
  }
}

void EngineCore::OnChange(const Relisted& change, std::set<KeyId>*) {
  for (const KeyId key : wanted.WaitingFor(change.watch)) {
    Trigger(key, Priority::kOwn, "a wanted name may be free");
  }
}

void EngineCore::OnChange(const Progressed& change, std::set<KeyId>* touched) {
  const auto waiting_keys = cache_waits.find(change.watch);
  if (waiting_keys == cache_waits.end()) return;
  for (const KeyId key : waiting_keys->second.Passed(cache.store(change.watch).watermark())) {
    touched->insert(key);
  }
}

void EngineCore::OnChange(const ControllerMatched& change, std::set<KeyId>*) {
  const ControllerId id = change.controller;
  while (controllers.size() <= id) {
    controllers.push_back({WorkQueue({options.retry_min, options.retry_max}),
                           DeletionBudget(options.deletion_budget, options.deletion_interval),
                           {}});
  }
  const CachedController& controller = cache.controllers()[id];
  if (!controller.active) {
    for (const KeyId key : keys.InNamespace(id, "")) Forget(key);
    return;
  }
  for (const auto& [ns, watch] : controller.parent.all()) MatchKeys(id, watch, ns);
}

// Makes the keys of a controller those of its parents' caches.
void EngineCore::MatchKeys(ControllerId id, WatchId watch, const std::string& ns) {
  if (cache.reflector(watch).listed_since() == -absl::InfiniteDuration()) return;
  for (const KeyId key : keys.InNamespace(id, ns)) {
    if (ParentOf(key) == nullptr) Forget(key);
  }
  for (const auto& [name, object] : cache.store(watch).objects()) {
    const KeyId* known = keys.Find(id, name);
    if (known != nullptr && keys.at(*known).uid == object.uid) continue;
    Trigger(keys.Add(id, name, object.uid), Priority::kBackground, "controller registered");
  }
}

void EngineCore::OnChange(const SubresourcesChanged& change, std::set<KeyId>*) {
  for (const KeyId key : keys.InNamespace(change.controller, "")) {
    Trigger(key, Priority::kBackground, "subresources changed");
  }
}

void EngineCore::OnChange(const RevisionMoved& change, std::set<KeyId>*) {
  RequeueAll("planner revision " + change.revision);
}

}  // namespace xebec::watcher
