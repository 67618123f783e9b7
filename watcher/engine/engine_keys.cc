// SPDX-License-Identifier: Apache-2.0
// EngineCore: keys and the queue.
#include <utility>

#include "watcher/engine/engine_core.h"

namespace xebec::watcher {

Controller& EngineCore::ControllerOfKey(KeyId key) { return controllers[keys.at(key).controller]; }

const Controller& EngineCore::ControllerOfKey(KeyId key) const {
  return controllers[keys.at(key).controller];
}

const StoredObject* EngineCore::ParentOf(KeyId key) const {
  return cache.Parent(keys.at(key).controller, keys.at(key).name);
}

const CachedController& EngineCore::CachedOf(KeyId key) const {
  return cache.controllers()[keys.at(key).controller];
}

WatchId EngineCore::ParentWatch(KeyId key) const {
  return cache.ParentWatch(keys.at(key).controller, keys.at(key).name.ns);
}

ObjectRef EngineCore::RefOf(KeyId key) const {
  const KeyRecord& record = keys.at(key);
  return {cache.controllers()[record.controller].kind.parent, record.name.ns, record.name.name};
}

void EngineCore::Trigger(KeyId key, Priority priority, std::string reason, bool urgent) {
  ControllerOfKey(key).queue.Add(key, priority, std::move(reason), now.monotonic, urgent);
  const auto pass = passes.find(key);
  if (pass != passes.end() && std::holds_alternative<Gated>(pass->second.state)) ArmGate(key);
}

void EngineCore::Forget(KeyId key) {
  if (passes.contains(key)) return;  // Finish comes back to it
  wanted.Set(key, {});
  ControllerOfKey(key).queue.Remove(key);
  shelved.erase(key);
  keys.Remove(key);
}

void EngineCore::RequeueAll(const std::string& reason) {
  for (const KeyId key : keys.All()) Trigger(key, Priority::kBackground, reason);
}

void EngineCore::SetWanted(KeyId key, std::vector<ObjectRef> names) {
  std::vector<WantedNames::Name> watched;
  for (const ObjectRef& ref : names) {
    const WatchId* watch = cache.Find(ref.type, ref.ns);
    if (watch != nullptr) watched.push_back({*watch, {ref.ns, ref.name}});
  }
  wanted.Set(key, watched);
  keys.at(key).wanted = std::move(names);
}

}  // namespace xebec::watcher
